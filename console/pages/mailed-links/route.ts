import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { activeSession } from '../../session/session.ts'
import { loadScript } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/route.tsx'
import { takeToken } from './use-link-token.ts'

/** The pages that links in e-mails open. The service leads from `/account/…` to them (gateway/console). */
export const mailedLinkRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'confirm-email',
    component: lazyRouteComponent(() => loadScript(() => import('./page.tsx')), 'ConfirmEmail'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'reset-password',
    component: lazyRouteComponent(() => loadScript(() => import('./page.tsx')), 'ResetPassword'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'accept-invitation',
    component: lazyRouteComponent(() => loadScript(() => import('./page.tsx')), 'AcceptInvitation'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'change-email',
    async beforeLoad() {
      takeToken()
      if (!(await activeSession())) throw redirect({ to: '/log-in', search: { next: '/change-email' } })
    },
    component: lazyRouteComponent(() => loadScript(() => import('./page.tsx')), 'ChangeEmail'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'reopen-account',
    component: lazyRouteComponent(() => loadScript(() => import('./page.tsx')), 'ReopenAccount'),
  }),
] as const
