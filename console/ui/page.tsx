import { type ReactNode, useEffect } from 'react'

/** A page: its heading, which is also the title of the window, its actions, and its content. */
export function Page({
  title,
  intro,
  actions,
  children,
}: {
  title: string
  intro?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Rubicon`
  }, [title])
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-col items-start justify-between gap-x-6 gap-y-3 sm:flex-row">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {intro && <p className="mt-1 max-w-2xl text-muted">{intro}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2 sm:shrink-0">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page with a border. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface shadow-raised">
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-5 py-3">
          <h2 className="font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** A sentence between the title of a panel and its list. */
export function PanelIntro({ children }: { children: ReactNode }) {
  return <p className="border-b border-line px-5 py-3 text-sm text-muted">{children}</p>
}

/** A figure with its name and a note. */
export function Tile({ label, children, note }: { label: string; children: ReactNode; note?: ReactNode }) {
  return (
    <Panel>
      <div className="flex flex-col gap-1 p-4 sm:p-5">
        <p className="text-sm text-muted">{label}</p>
        <p className="text-xl font-semibold tracking-tight break-words xl:text-2xl">{children}</p>
        <p className="min-h-5 text-sm text-muted">{note}</p>
      </div>
    </Panel>
  )
}

/** A part of a dialog or panel with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

const badges = {
  neutral: 'bg-line text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
} as const

export type Tone = keyof typeof badges

/** A state in one or two words. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex rounded-sm px-1.5 text-xs font-medium whitespace-nowrap ${badges[tone]}`}>
      {children}
    </span>
  )
}
