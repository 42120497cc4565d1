import type { Exchange } from '../server/exchange.ts'
import { refuse, refuseTrouble } from './refuse.ts'

const missing =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username. You can obtain an API key from https://platform.openai.com/account/api-keys."

/**
 * The API key of a request. Keys that start with `sim-` are known, save `sim-bad…`;
 * a key that names a status is refused with it: `sim-429-team`.
 */
export function authenticate({ request }: Exchange): string {
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw refuse(401, missing)
  if (!key.startsWith('sim-') || key.startsWith('sim-bad')) throw refuseKey(key)
  const status = Number(/^sim-([45]\d\d)/.exec(key)?.[1] ?? 0)
  if (status === 401) throw refuseKey(key)
  if (status > 0) throw refuseTrouble({ kind: 'status', status, model: 'gpt-sim', retryAfterMs: 1000 })
  return key
}

function refuseKey(key: string) {
  const message = `Incorrect API key provided: ${mask(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`
  return refuse(401, message, { code: 'invalid_api_key' })
}

function mask(key: string): string {
  if (key.length <= 12) return '*'.repeat(key.length)
  return key.slice(0, 8) + '*'.repeat(key.length - 12) + key.slice(-4)
}
