import type { Handler } from '../server/exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { sendWhole } from '../server/send-whole.ts'
import { checkAssertion } from './check-assertion.ts'
import { serviceAccountOf, tokenUriOf } from './service-account.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const lifeSeconds = 3599

/** POST /vertex/token: an access token for the signature of the service account. */
export const giveToken: Handler = (simulator, exchange) => {
  const { request, body, id } = exchange
  const form = new URLSearchParams(body.bytes.toString())
  if (!request.headers['content-type']?.includes('application/x-www-form-urlencoded'))
    throw refuseGrant('invalid_request', 'The request must be a form.')
  if (form.get('grant_type') !== grantType)
    throw refuseGrant('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`)
  const now = simulator.clock.now()
  checkAssertion(form.get('assertion') ?? '', {
    account: serviceAccountOf(simulator),
    audience: tokenUriOf(request.headers.host),
    nowSeconds: now / 1000,
  })
  const token = `ya29.sim-${id.toString(36).padStart(12, '0')}`
  simulator.accessTokens.set(token, now + lifeSeconds * 1000)
  return sendWhole(exchange, {
    body: JSON.stringify({ access_token: token, expires_in: lifeSeconds, token_type: 'Bearer' }),
  })
}

function refuseGrant(error: string, description: string): Refusal {
  return new Refusal({ status: 400, body: { error, error_description: description } })
}
