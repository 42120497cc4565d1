import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

export const alertsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'alerts',
  component: lazyPage(() => import('./page.tsx')),
})
