import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { usageSearchOf } from './search.ts'

export const usageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'usage',
  validateSearch: usageSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
