import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { requestsSearchOf } from './search.ts'

export const requestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'requests',
  validateSearch: requestsSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
