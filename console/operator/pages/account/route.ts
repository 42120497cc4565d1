import { createRoute } from '@tanstack/react-router'
import { type PagePlace, pagePlaceOf } from '../../../lists/address.ts'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'

export const operatorAccountRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'accounts/$accountId',
  validateSearch: (search: Record<string, unknown>): PagePlace => pagePlaceOf(search),
  component: lazyPage(() => import('./page.tsx')),
})
