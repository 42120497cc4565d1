import { createRoute, notFound } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountRoute } from '../../shell/route.tsx'

/** The kinds of media that the page generates. */
export const mediaKinds = ['images', 'videos', 'audio'] as const

export type MediaKind = (typeof mediaKinds)[number]

export const playgroundMediaRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: 'playground/$kind',
  params: {
    parse: ({ kind }) => {
      const known = mediaKinds.find(name => name === kind)
      if (!known) throw notFound()
      return { kind: known }
    },
  },
  validateSearch: (search: Record<string, unknown>): { model?: string | undefined } => ({
    model: typeof search.model === 'string' ? search.model : undefined,
  }),
  component: lazyPage(() => import('./page.tsx')),
})
