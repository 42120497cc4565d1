import { lazy, Suspense } from 'react'
import { useSession } from '../session/session.ts'
import { useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { messages } from './messages.ts'
import { useViewer } from './use-viewer.ts'

const Settings = lazy(() => import('./settings.tsx'))

/** The button with the account's name, and its panel: other accounts, theme, language, log-out. */
export function SettingsMenu() {
  const text = useText(messages)
  const session = useSession()
  const viewer = useViewer()
  return (
    <Popover
      label={text.menu}
      triggerClass="flex w-full items-center gap-2.5 rounded-md px-2.5 py-2 text-left hover:bg-hover"
      trigger={
        <>
          <span className="flex size-7 shrink-0 items-center justify-center rounded-md bg-accent-soft text-accent">
            <Icon name="person" />
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{session?.accountName}</span>
            <span className="block truncate text-xs text-muted">{viewer?.user?.email}</span>
          </span>
          <Icon name="chevron" className="text-muted" />
        </>
      }
    >
      {() => (
        <Suspense>
          <Settings />
        </Suspense>
      )}
    </Popover>
  )
}
