import { useText } from '../text/language.ts'
import { EmptyState } from '../ui/states.tsx'
import { messages } from './messages.ts'

/** What a list shows if no record matches its filters. */
export function NoneMatches() {
  const text = useText(messages)
  return (
    <EmptyState icon="search" title={text.noneTitle}>
      {text.none}
    </EmptyState>
  )
}
