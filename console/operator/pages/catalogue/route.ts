import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'
import { catalogueSearchOf } from './search.ts'

export const catalogueRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'catalogue',
  validateSearch: catalogueSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
