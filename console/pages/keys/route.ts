import { createRoute } from '@tanstack/react-router'
import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

/** The state of the page, in its address: the page of the list, and the key whose panel is open. */
export interface KeysSearch extends PagePlace {
  key?: string | undefined
}

export const keysRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'keys',
  validateSearch: (search: Record<string, unknown>): KeysSearch => ({
    ...pagePlaceOf(search),
    key: typeof search.key === 'string' ? search.key : undefined,
  }),
  component: lazyPage(() => import('./page.tsx')),
})
