import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useText } from '../text/language.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Banners } from './banners.tsx'
import { Brand } from './brand.tsx'
import { messages } from './messages.ts'
import { type NavigationItem, navigationGroups } from './navigation.ts'
import { SettingsMenu } from './settings-menu.tsx'

const Palette = lazy(() => import('./palette.tsx'))

/** The frame around every page of an account. */
export function Shell() {
  const text = useText(messages)
  const { isPaletteOpen, setIsPaletteOpen } = usePaletteKey()
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens
  useEffect(() => setIsMenuOpen(false), [path])
  const search = () => setIsPaletteOpen(true)
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2"
      >
        {text.skip}
      </a>
      <header className="flex items-center gap-1 border-b border-line bg-surface px-3 py-2 lg:hidden">
        <IconButton icon="menu" label={text.openMenu} onClick={() => setIsMenuOpen(true)} />
        <Brand />
        <IconButton icon="search" label={text.search} onClick={search} className="ml-auto" />
      </header>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-1 border-r border-line bg-surface p-3 lg:flex">
        <Brand />
        <SearchButton onClick={search} />
        <Navigation />
        <div className="mt-auto">
          <SettingsMenu />
        </div>
      </aside>
      <div className="min-w-0">
        <Banners />
        <main id="content" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      {isMenuOpen && (
        <Dialog title="Rubicon" onClose={() => setIsMenuOpen(false)}>
          <Navigation />
          <div className="mt-3 border-t border-line pt-3">
            <SettingsMenu />
          </div>
        </Dialog>
      )}
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setIsPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Ctrl-K, or ⌘K, opens the command palette. */
function usePaletteKey() {
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setIsPaletteOpen(isOpen => !isOpen)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return { isPaletteOpen, setIsPaletteOpen }
}

function SearchButton({ onClick }: { onClick(): void }) {
  const text = useText(messages)
  return (
    <button
      type="button"
      onClick={onClick}
      className="my-2 flex items-center gap-2 rounded-md border border-line px-2.5 py-1.5 text-muted hover:bg-hover hover:text-ink"
    >
      <Icon name="search" />
      {text.search}
      <kbd className="ml-auto font-sans text-xs">{/Mac/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  )
}

function Navigation() {
  const text = useText(messages)
  return (
    <nav aria-label={text.navigation} className="-mx-1 flex min-h-0 flex-col gap-3 overflow-y-auto px-1">
      {navigationGroups.map(({ title, items }) => (
        <div key={title ?? ''} className="flex flex-col gap-0.5">
          {title && <p className="px-2.5 pb-0.5 text-xs font-medium text-muted">{text[title]}</p>}
          {items.map(item => (
            <NavigationLink key={item.to} {...item} />
          ))}
        </div>
      ))}
    </nav>
  )
}

function NavigationLink({ to, text: name, icon }: NavigationItem) {
  const text = useText(messages)
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className="flex items-center gap-2.5 rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon name={icon} />
      {text[name]}
    </Link>
  )
}
