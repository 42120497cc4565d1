import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'
import { accountsSearchOf } from './search.ts'

export const operatorAccountsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'accounts',
  validateSearch: accountsSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
