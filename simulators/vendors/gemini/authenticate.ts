import type { Exchange } from '../server/exchange.ts'
import { refuse, refuseKey, refuseTrouble } from './refuse.ts'

const missing =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."

/**
 * The API key of a request, in its header or its query. Keys that start with `sim-` are known, save `sim-bad…`;
 * a key that names a status is refused with it: `sim-429-team`.
 */
export function authenticate({ request, query }: Pick<Exchange, 'request' | 'query'>): string {
  const key = request.headers['x-goog-api-key'] ?? query.get('key') ?? undefined
  if (typeof key !== 'string') throw refuse(403, missing)
  if (!key.startsWith('sim-') || key.startsWith('sim-bad')) throw refuseKey()
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status === 400) throw refuseKey()
  if (status > 0) throw refuseTrouble({ kind: 'status', status, model: 'prism-sim', retryAfterMs: 1000 })
  return key
}
