import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

/** The state of the page, in its address: the credential whose panel is open. */
export interface CredentialsSearch {
  credential?: string | undefined
}

export const credentialsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'credentials',
  validateSearch: (search: Record<string, unknown>): CredentialsSearch => ({
    credential: typeof search.credential === 'string' ? search.credential : undefined,
  }),
  component: lazyPage(() => import('./page.tsx')),
})
