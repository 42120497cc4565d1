import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { auditSearchOf } from './search.ts'

export const auditLogRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'audit-log',
  validateSearch: auditSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
