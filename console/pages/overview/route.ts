import { createRoute } from '@tanstack/react-router'
import { accountRoute } from '../../shell/route.tsx'
import { type Measure, measures } from './measures.ts'
import OverviewPage from './page.tsx'

export const overviewRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { measure?: Measure | undefined } => ({
    measure: measures.find(name => name === search.measure),
  }),
  component: OverviewPage,
})
