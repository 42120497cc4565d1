import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'
import { platformLogSearchOf } from './search.ts'

export const operatorAuditLogRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'audit-log',
  validateSearch: platformLogSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
