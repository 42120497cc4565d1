import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

export const firstStepsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'first-steps',
  component: lazyPage(() => import('./page.tsx')),
})
