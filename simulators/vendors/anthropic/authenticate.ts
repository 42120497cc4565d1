import type { Exchange } from '../server/exchange.ts'
import { refuse, refuseTrouble } from './refuse.ts'

/**
 * The API key of a request, in either of its headers. Keys that start with `sim-` are known, save `sim-bad…`;
 * a key that names a status is refused with it: `sim-429-team`.
 */
export function authenticate({ request }: Exchange): string {
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const key = request.headers['x-api-key'] ?? bearer
  if (typeof key !== 'string') throw refuse(401, 'x-api-key header is required')
  if (!key.startsWith('sim-') || key.startsWith('sim-bad')) {
    throw refuse(401, bearer ? 'Invalid bearer token' : 'invalid x-api-key')
  }
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status > 0) throw refuseTrouble({ kind: 'status', status, model: 'lyric-sim', retryAfterMs: 1000 })
  return key
}
