import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { callbacksSearchOf } from './search.ts'

export const callbacksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'callbacks',
  validateSearch: callbacksSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
