import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { tasksSearchOf } from './search.ts'

export const tasksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'tasks',
  validateSearch: tasksSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
