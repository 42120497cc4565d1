import { createRouter } from '@tanstack/react-router'
import { routerOptions } from '../shell/route.tsx'
import { operatorAccountRoute } from './pages/account/route.ts'
import { operatorAccountsRoute } from './pages/accounts/route.ts'
import { operatorAuditLogRoute } from './pages/audit-log/route.ts'
import { booksRoute } from './pages/books/route.ts'
import { catalogueRoute } from './pages/catalogue/route.ts'
import { entryRoute } from './pages/entry/route.ts'
import { vendorsRoute } from './pages/vendors/route.ts'
import { applyOperatorColours } from './shell/colours.ts'
import { customersRoute, operatorIndexRoute, operatorRootRoute, operatorRoute } from './shell/route.tsx'

/** The operators' pages. A new page is one line here. */
export const operatorRoutes = operatorRoute.addChildren([
  operatorIndexRoute, //
  operatorAccountsRoute,
  operatorAccountRoute,
  catalogueRoute,
  entryRoute,
  vendorsRoute,
  booksRoute,
  operatorAuditLogRoute,
])

/** Opens the router of operators. Its pages are a document of their own: only a load leads from and to a customer's pages. */
export function openOperatorRouter() {
  applyOperatorColours()
  return createRouter({
    ...routerOptions,
    routeTree: operatorRootRoute.addChildren([customersRoute, operatorRoutes]),
  })
}
