import { type ReactNode, Suspense } from 'react'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'

/** The button below the navigation, with the name of the account or operator. It opens a panel of settings. */
export function SettingsMenu({
  label,
  name,
  note,
  children,
}: {
  /** Says what the button opens, to screen readers only. */
  label: string
  name: string | undefined
  note: string | undefined
  children: ReactNode
}) {
  return (
    <Popover
      label={label}
      triggerClass="flex w-full items-center gap-2.5 rounded-md px-2.5 py-2 text-left hover:bg-hover"
      trigger={
        <>
          <span className="flex size-7 shrink-0 items-center justify-center rounded-md bg-accent-soft text-accent">
            <Icon name="person" />
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{name}</span>
            <span className="block truncate text-xs text-muted">{note}</span>
          </span>
          <Icon name="chevron" className="text-muted" />
        </>
      }
    >
      {() => <Suspense>{children}</Suspense>}
    </Popover>
  )
}
