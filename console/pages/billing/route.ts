import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { billingSearchOf } from './search.ts'

export const billingRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'billing',
  validateSearch: billingSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
