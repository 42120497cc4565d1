import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'

export const booksRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'books',
  component: lazyPage(() => import('./page.tsx')),
})
