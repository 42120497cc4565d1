import type { Exchange } from '../server/exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { refuseTrouble } from './refuse.ts'

const refused =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.'

/** The key of a resource, in Azure's own header: an `Authorization` is for tokens of Entra, which the simulator knows none of. */
export function authenticate({ request }: Exchange): string {
  const key = request.headers['api-key']
  if (typeof key !== 'string' || !key.startsWith('sim-') || key.startsWith('sim-bad'))
    throw new Refusal({ status: 401, body: { error: { code: '401', message: refused } } })
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status > 0) throw refuseTrouble({ kind: 'status', status, model: 'sim', retryAfterMs: 1000 })
  return key
}
