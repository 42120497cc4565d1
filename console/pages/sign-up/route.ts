import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/route.tsx'
import { nextPageOf } from '../log-in/route.ts'

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-up',
  validateSearch: nextPageOf,
  component: lazyPage(() => import('./page.tsx')),
})
