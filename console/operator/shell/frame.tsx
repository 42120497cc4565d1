import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { chooseLanguage, type Language, languages, useLanguage, useText } from '../../text/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { chooseTheme, type Theme, themes, useTheme } from '../../ui/theme.ts'
import { leave, type Operator } from '../session/operator-key.ts'
import { frameColours } from './colours.ts'
import { messages } from './messages.ts'
import { navigation } from './navigation.ts'

/** The frame around every page of an operator. */
export function Frame({ operator }: { operator: Operator }) {
  const text = useText(messages)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens
  useEffect(() => setIsMenuOpen(false), [path])
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2"
      >
        {text.skip}
      </a>
      <header
        style={frameColours}
        className="flex items-center gap-1 border-b border-line bg-surface px-3 py-2 text-ink md:hidden"
      >
        <IconButton icon="menu" label={text.openMenu} onClick={() => setIsMenuOpen(true)} />
        <Title />
      </header>
      <aside
        style={frameColours}
        className="sticky top-0 hidden h-dvh flex-col gap-1 overflow-y-auto border-r border-line bg-surface p-3 text-ink md:flex"
      >
        <Title />
        <Navigation />
        <div className="mt-auto">
          <Settings operator={operator} />
        </div>
      </aside>
      <div className="min-w-0">
        <section aria-label={text.operator} className="bg-accent-soft px-4 py-2 text-sm text-accent sm:px-8">
          {text.notice} {text.kept}
        </section>
        <main id="content" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      {isMenuOpen && (
        <Dialog title={text.operator} onClose={() => setIsMenuOpen(false)}>
          <Navigation />
          <div className="mt-3 border-t border-line pt-3">
            <Settings operator={operator} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

function Title() {
  const text = useText(messages)
  return (
    <p className="flex items-center gap-2 px-2.5 py-1.5 text-lg font-semibold tracking-tight">
      Rubicon <span className="rounded-sm bg-hover px-1.5 text-xs font-medium">{text.operator}</span>
    </p>
  )
}

function Navigation() {
  const text = useText(messages)
  return (
    <nav aria-label={text.pages} className="flex flex-col gap-0.5">
      {navigation.map(({ to, text: name, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ includeSearch: false }}
          className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          <Icon name={icon} />
          {text[name]}
        </Link>
      ))}
    </nav>
  )
}

/** The operator's name, language and theme, and the button that forgets the key. */
function Settings({ operator }: { operator: Operator }) {
  const text = useText(messages)
  const language = useLanguage()
  const theme = useTheme()
  return (
    <div className="flex flex-col gap-3 px-2.5 py-2">
      <Choice
        label={text.language}
        value={language}
        options={Object.entries(languages)}
        onChange={value => chooseLanguage(value as Language)}
      />
      <Choice
        label={text.theme}
        value={theme}
        options={themes.map(name => [name, text.themes[name]])}
        onChange={value => chooseTheme(value as Theme)}
      />
      <div className="flex items-center justify-between gap-2">
        <span className="flex min-w-0 items-center gap-2 font-medium">
          <Icon name="person" />
          <span className="truncate">{operator.name}</span>
        </span>
        <Button onClick={leave}>{text.leave}</Button>
      </div>
    </div>
  )
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly (readonly [value: string, text: ReactNode])[]
  onChange(value: string): void
}) {
  const id = useId()
  return (
    <div className="flex items-center justify-between gap-2 text-sm">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={event => onChange(event.target.value)}
        className="h-8 rounded-md border border-control bg-surface px-2"
      >
        {options.map(([option, shown]) => (
          <option key={option} value={option}>
            {shown}
          </option>
        ))}
      </select>
    </div>
  )
}
