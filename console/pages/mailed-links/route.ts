import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadScript } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/route.tsx'

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
] as const
