import { createRoute } from '@tanstack/react-router'
import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

/** The state of the page, in its address: the page of the list, and the budget whose panel is open. */
export interface BudgetsSearch extends PagePlace {
  budget?: string | undefined
}

export const budgetsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'budgets',
  validateSearch: (search: Record<string, unknown>): BudgetsSearch => ({
    ...pagePlaceOf(search),
    budget: typeof search.budget === 'string' ? search.budget : undefined,
  }),
  component: lazyPage(() => import('./page.tsx')),
})
