import { createRoute, redirect } from '@tanstack/react-router'
import { activeSession } from '../../session/session.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/route.tsx'

/** The page that is opened after a log-in: a path of the console, with its search. */
export interface NextPage {
  next?: string | undefined
}

/** Only paths of the console are opened, never another site. */
export function nextPageOf({ next }: Record<string, unknown>): NextPage {
  return { next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined }
}

export const logInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'log-in',
  validateSearch: nextPageOf,
  async beforeLoad({ location }) {
    // The fragment has a log-in to fill in, or the result of a single sign-on.
    if (location.hash === '' && (await activeSession().catch(() => undefined))) throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./page.tsx')),
})
