import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

export const userSettingsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings',
  component: lazyPage(() => import('./user/page.tsx')),
})

export const signInSettingsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/sign-in',
  component: lazyPage(() => import('./sign-in/page.tsx')),
})

export const accountSettingsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'settings/account',
  component: lazyPage(() => import('./account/page.tsx')),
})
