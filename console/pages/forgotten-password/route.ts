import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/route.tsx'

export const forgottenPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'forgotten-password',
  component: lazyPage(() => import('./page.tsx')),
})
