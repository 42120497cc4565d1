import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'
import { membersSearchOf } from './search.ts'

export const membersRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'members',
  validateSearch: membersSearchOf,
  component: lazyPage(() => import('./page.tsx')),
})
