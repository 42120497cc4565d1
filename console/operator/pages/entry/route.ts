import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { operatorRoute } from '../../shell/route.tsx'

/** The entry of a model. The ID `new` opens an empty one. */
export const entryRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: 'catalogue/$modelId',
  component: lazyPage(() => import('./page.tsx')),
})
