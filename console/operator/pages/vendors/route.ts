import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'

export const vendorsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'vendors',
  component: lazyPage(() => import('./page.tsx')),
})
