import { Link, type LinkProps, Outlet, useRouterState } from '@tanstack/react-router'
import { type ComponentType, type CSSProperties, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useText } from '../text/language.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { OfflineBanner } from './banner.tsx'
import { messages } from './messages.ts'

/** Pages that the navigation lists together. */
export interface PageGroup {
  title?: string | undefined
  pages: readonly PageItem[]
}

/** A page in the navigation and in the command palette. */
export interface PageItem {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: IconName
}

/**
 * The frame around every page: the navigation at the left, or in a menu on narrow screens, banners, and the command
 * palette.
 */
export function Frame({
  title,
  brand,
  groups,
  menu,
  banners,
  palette: Palette,
  style,
}: {
  /** The title of the menu on narrow screens. */
  title: string
  brand: ReactNode
  groups: readonly PageGroup[]
  /** The button below the navigation, which opens settings. */
  menu: ReactNode
  /** Lines about the state of the console, below the one that says that the browser is offline. */
  banners: ReactNode
  /** The command palette. It is rendered while it is open. */
  palette: ComponentType<{ onClose(): void }>
  /** The style of the navigation and of the bar that replaces it on narrow screens. */
  style?: CSSProperties
}) {
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
      <header
        style={style}
        className="flex items-center gap-1 border-b border-line bg-surface px-3 py-2 text-ink lg:hidden"
      >
        <IconButton icon="menu" label={text.openMenu} onClick={() => setIsMenuOpen(true)} />
        {brand}
        <IconButton icon="search" label={text.search} onClick={search} className="ml-auto" />
      </header>
      <aside
        style={style}
        className="sticky top-0 hidden h-dvh flex-col gap-1 border-r border-line bg-surface p-3 text-ink lg:flex"
      >
        {brand}
        <SearchButton onClick={search} />
        <Navigation groups={groups} />
        <div className="mt-auto">{menu}</div>
      </aside>
      <div className="min-w-0">
        <div role="status">
          <OfflineBanner />
          {banners}
        </div>
        <main id="content" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      {isMenuOpen && (
        <Dialog title={title} onClose={() => setIsMenuOpen(false)}>
          <Navigation groups={groups} />
          <div className="mt-3 border-t border-line pt-3">{menu}</div>
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

function Navigation({ groups }: { groups: readonly PageGroup[] }) {
  const text = useText(messages)
  return (
    <nav aria-label={text.navigation} className="-mx-1 flex min-h-0 flex-col gap-3 overflow-y-auto px-1">
      {groups.map(({ title, pages }) => (
        <div key={title ?? ''} className="flex flex-col gap-0.5">
          {title && <p className="px-2.5 pb-0.5 text-xs font-medium text-muted">{title}</p>}
          {pages.map(({ to, name, icon }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="flex items-center gap-2.5 rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              <Icon name={icon} />
              {name}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
}
