import { Link } from '@tanstack/react-router'
import { useText } from '../text/language.ts'
import { messages } from './messages.ts'

const tab =
  '-mb-px border-b-2 border-transparent px-3 py-2 text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink'

/** Leads from one playground to the others. */
export function PlaygroundTabs() {
  const text = useText(messages)
  return (
    <nav aria-label={text.playgrounds} className="flex gap-1 overflow-x-auto border-b border-line">
      <Link to="/playground" activeOptions={{ exact: true, includeSearch: false }} className={tab}>
        {text.chat}
      </Link>
      {(['images', 'videos', 'audio'] as const).map(kind => (
        <Link
          key={kind}
          to="/playground/$kind"
          params={{ kind }}
          activeOptions={{ includeSearch: false }}
          className={tab}
        >
          {text[kind]}
        </Link>
      ))}
    </nav>
  )
}
