import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

/** The state of the page, in its address: the models that answer. */
export interface PlaygroundSearch {
  model?: string | undefined
  /** The model that answers beside the first one. */
  beside?: string | undefined
}

export const playgroundRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'playground',
  validateSearch: (search: Record<string, unknown>): PlaygroundSearch => ({
    model: typeof search.model === 'string' ? search.model : undefined,
    beside: typeof search.beside === 'string' ? search.beside : undefined,
  }),
  component: lazyPage(() => import('./page.tsx')),
})
