import type { Route, WireFormat } from './exchange.ts'
import { Refusal } from './refusal.ts'

export interface FoundRoute {
  readonly format: WireFormat
  /** Undefined where the format has nothing at this address. */
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
}

const noParams = {}

/** Makes the look-up of routes: exact paths by one look in a map, then patterns one by one. */
export function tabulateRoutes(formats: readonly WireFormat[]): (method: string, path: string) => FoundRoute {
  const exact = new Map<string, FoundRoute>()
  const patterns: { format: WireFormat; route: Route; pattern: RegExp }[] = []
  for (const format of formats) {
    for (const route of format.routes) {
      if (typeof route.path !== 'string') patterns.push({ format, route, pattern: route.path })
      else exact.set(`${route.method} ${route.path}`, { format, route, params: noParams })
    }
  }
  return (method, path) => {
    const found = exact.get(`${method} ${path}`)
    if (found) return found
    for (const { format, route, pattern } of patterns) {
      const match = route.method === method ? pattern.exec(path) : null
      if (match) return { format, route, params: decode(match.groups ?? noParams) }
    }
    const format = formats.find(({ prefix }) => path.startsWith(prefix)) ?? nobody
    return { format, route: undefined, params: noParams }
  }
}

function decode(groups: Record<string, string | undefined>): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, text = ''] of Object.entries(groups)) params[name] = decodeLeniently(text)
  return params
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Who answers below no format's prefix. */
const nobody: WireFormat = {
  prefix: '/',
  routes: [],
  presentHeaders: () => ({}),
  refuseUnknown: (method, path) =>
    new Refusal({ status: 404, body: { error: `The simulator has no ${method} ${path}: see its README.` } }),
  refuseTooLarge: () => new Refusal({ status: 413, body: { error: 'The body is too large.' } }),
}
