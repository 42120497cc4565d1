import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo } from 'react'
import { Provider } from 'urql'
import { type Credential, openClient } from '../graph/client.ts'
import { isReachable, onRecovery, reportUnanswered } from '../session/connection.ts'
import { ServiceError } from '../session/rest.ts'
import { activeSession, refreshSession, useSession } from '../session/session.ts'
import { useText } from '../text/language.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { Brand } from './brand.tsx'
import { ConfirmationProvider } from './confirmation.tsx'
import { messages } from './messages.ts'
import { Shell } from './shell.tsx'

/** The options of the root of all pages, for customers and operators. */
export const rootOptions = { component: Root, notFoundComponent: NotFound, errorComponent: Crashed }

/** The options of the routers of customers and operators. */
export const routerOptions = {
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: Loading,
  defaultErrorComponent: PageError,
} as const

/** The root of all pages of customers. */
export const rootRoute = createRootRoute(rootOptions)

/** The parent of all pages that need a session. Without one, the log-in page opens, and then the page that was asked for. */
export const accountRoute = createRoute({
  id: 'account',
  getParentRoute: () => rootRoute,
  async beforeLoad({ location }) {
    if (await activeSession()) return
    throw redirect({ to: '/log-in', search: { next: location.pathname + location.searchStr } })
  },
  component: Account,
})

/** The credential of the session. If the service refuses the token, a refresh finds out whether the session has ended. */
const ofSession: Credential = {
  token: async () => (await activeSession())?.token,
  refused: () => void refreshSession().catch(() => undefined),
}

function Root(): ReactNode {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  )
}

function Account() {
  const session = useSession()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another account has another client, and so another cache
  const client = useMemo(() => openClient(ofSession), [session?.accountId])
  if (!session) return <SessionEnded />
  return (
    <Provider value={client}>
      <ConfirmationProvider>
        <Shell />
      </ConfirmationProvider>
    </Provider>
  )
}

/** The session ended while a page was open. Loading the address again leads through the log-in page and back. */
function SessionEnded() {
  location.reload()
  return null
}

function NotFound(): ReactNode {
  const text = useText(messages)
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center">
      <Brand />
      <EmptyState
        titleAs="h1"
        icon="search"
        title={text.notFound}
        action={
          <a className={buttonClass('secondary')} href="/console">
            {text.toOverview}
          </a>
        }
      >
        {text.notFoundText}
      </EmptyState>
    </main>
  )
}

/** The error of the whole console. */
export function Crashed({ error }: { error: unknown }): ReactNode {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center">
      <Brand />
      <PageError error={error} />
    </main>
  )
}

/** The error of a page. The frame around it works. If the service did not answer, the page is loaded when it does. */
function PageError({ error }: { error: unknown }): ReactNode {
  const text = useText(messages)
  const isUnreachable = error instanceof ServiceError && error.code === 'unreachable'
  useEffect(() => {
    if (!isUnreachable) return
    reportUnanswered()
    return onRecovery(() => location.reload())
  }, [isUnreachable])
  // Without an answer, loading again would replace the console by a page of the browser.
  const reload = async () => {
    if (await isReachable()) location.reload()
  }
  return (
    <EmptyState
      titleAs="h1"
      icon="warning"
      title={isUnreachable ? text.unreachable : text.crashed}
      action={<Button onClick={() => void reload()}>{text.reload}</Button>}
    >
      {isUnreachable ? text.unreachableText : String(error)}
    </EmptyState>
  )
}
