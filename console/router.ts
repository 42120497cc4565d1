import { createRoute, createRouter, notFound, redirect } from '@tanstack/react-router'
import type { operatorRoutes } from './operator/router.ts'
import { logInRoute } from './pages/log-in/route.ts'
import { overviewRoute } from './pages/overview/route.ts'
import type { routeTree as customerRoutes } from './pages/routes.ts'
import { loadScript } from './shell/lazy-page.ts'
import { accountRoute, Crashed, rootRoute, routerOptions } from './shell/route.tsx'

let areAllLoaded = false

/**
 * Matches the path of a page whose route is not loaded yet. Loads all routes and opens the path again. After that, it
 * matches only paths that do not exist.
 */
const unloadedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  async beforeLoad({ location: { href } }) {
    if (areAllLoaded) throw notFound()
    const { routeTree } = await loadScript(() => import('./pages/routes.ts'))
    routeTree.addChildren([...Object.values(routeTree.children ?? {}), unloadedRoute])
    const router = openRouter()
    router.setRoutes(router.buildRouteTree())
    areAllLoaded = true
    throw redirect({ href, replace: true })
  },
  errorComponent: Crashed,
})

/** The routes of log-in and overview, which are in the first load. `unloadedRoute` adds the others, whose types are known. */
const firstRoutes: unknown = rootRoute.addChildren([
  logInRoute,
  unloadedRoute,
  accountRoute.addChildren([overviewRoute]),
])

/**
 * The type of all routes, so that links are checked. Customers and operators have separate routers, but the library can check
 * the links of only one.
 */
type AllRoutes = ReturnType<
  typeof rootRoute.addChildren<
    readonly [...(typeof customerRoutes)['types']['children'], typeof operatorRoutes]
  >
>

type CustomerRouter = ReturnType<typeof createCustomerRouter>

let opened: CustomerRouter | undefined

/** Returns the router of customers. The first call opens it. */
export function openRouter(): CustomerRouter {
  opened ??= createCustomerRouter()
  return opened
}

function createCustomerRouter() {
  return createRouter({ ...routerOptions, routeTree: firstRoutes as AllRoutes })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: CustomerRouter
  }
}
