import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { modelsSearchOf } from './search.ts'

export const modelsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'models',
  validateSearch: modelsSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
