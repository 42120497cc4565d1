import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import { isRecord, type JsonRecord, parseJson } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { refuse, refuseFailure } from '../gemini/errors.ts'
import { generateContent } from '../gemini/generate.ts'
import { gemini, presentHeaders } from '../gemini/routes.ts'
import type { Handler, Simulator, VendorApi } from '../simulator.ts'

/** Gemini's models in a Vertex project, for any region. The base URL is `{simulator}/vertex`. */
export const vertex: VendorApi = {
  ...gemini,
  prefix: '/vertex/',
  routes: [
    { method: 'GET', path: '/vertex/service-account.json', handle: showServiceAccount },
    { method: 'POST', path: '/vertex/token', handle: issueToken },
    {
      method: 'POST',
      path: /^\/vertex\/v1(beta1)?\/projects\/(?<project>[^/]+)\/locations\/(?<region>[a-z0-9-]+)\/publishers\/google\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle: generateContent({ authenticate, presentHeaders, refuseFailure }),
    },
  ],
}

/** Returns the project, which partitions the cache. Throws a `Refusal` for an invalid token or another project. */
function authenticate(simulator: Simulator, { request, params }: Exchange): string {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const expiresAt = simulator.accessTokens.get(token)
  if (expiresAt === undefined || expiresAt <= simulator.clock.now()) {
    const message =
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'
    throw refuse(401, message)
  }
  const { project = '', region, model } = params
  if (project === serviceAccountOf(simulator).projectId) return project
  const resource = `//aiplatform.googleapis.com/projects/${project}/locations/${region}/publishers/google/models/${model}`
  throw refuse(
    403,
    `Permission 'aiplatform.endpoints.predict' denied on resource '${resource}' (or it may not exist).`,
  )
}

/** The only service account. */
export interface ServiceAccount {
  readonly clientEmail: string
  readonly projectId: string
  readonly privateKeyId: string
  readonly publicKey: KeyObject
  /** The private key as PEM. */
  readonly privateKey: string
}

function serviceAccountOf(simulator: Simulator): ServiceAccount {
  simulator.serviceAccount ??= createAccount()
  return simulator.serviceAccount
}

function createAccount(): ServiceAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clientEmail: 'caller@sim-project.iam.gserviceaccount.com',
    projectId: 'sim-project',
    privateKeyId: 'sim0000000000000000000000000000000000key',
    publicKey,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Handles `GET /vertex/service-account.json`: returns the file that customers download from Google's console. */
function showServiceAccount(simulator: Simulator, exchange: Exchange): Promise<void> {
  const { clientEmail, projectId, privateKeyId, privateKey } = serviceAccountOf(simulator)
  const file = {
    type: 'service_account',
    project_id: projectId,
    private_key_id: privateKeyId,
    private_key: privateKey,
    client_email: clientEmail,
    client_id: '100000000000000000000',
    token_uri: tokenUriOf(exchange),
  }
  return sendWhole(exchange, { body: file })
}

function tokenUriOf({ request }: Exchange): string {
  return `http://${request.headers.host}/vertex/token`
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const lifetimeSeconds = 3599

/** Handles `POST /vertex/token`: returns an access token for a JWT signed by the service account. */
function issueToken(...[simulator, exchange]: Parameters<Handler>): Promise<void> {
  const { request, body, id } = exchange
  const form = new URLSearchParams(body.bytes.toString())
  if (!request.headers['content-type']?.includes('application/x-www-form-urlencoded'))
    throw refuseGrant('The request must be a form.', 'invalid_request')
  if (form.get('grant_type') !== grantType)
    throw refuseGrant(`Invalid grant_type: ${form.get('grant_type')}`, 'unsupported_grant_type')
  const now = simulator.clock.now()
  checkAssertion(form.get('assertion') ?? '', {
    account: serviceAccountOf(simulator),
    audience: tokenUriOf(exchange),
    nowSeconds: now / 1000,
  })
  const token = `ya29.sim-${id.toString(36).padStart(12, '0')}`
  simulator.accessTokens.set(token, now + lifetimeSeconds * 1000)
  const answer = { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' }
  return sendWhole(exchange, { body: answer })
}

function refuseGrant(description: string, error = 'invalid_grant'): Refusal {
  return new Refusal({ status: 400, body: { error, error_description: description } })
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const maxSeconds = 3600
const skewSeconds = 60

/** Checks a JWT as Google's token endpoint does: signature, key, issuer, audience, times and scope. */
function checkAssertion(
  assertion: string,
  { account, audience, nowSeconds }: { account: ServiceAccount; audience: string; nowSeconds: number },
): void {
  const [head = '', body = '', signature = ''] = assertion.split('.')
  const [header, claims] = [decodePart(head), decodePart(body)]
  if (header.alg !== 'RS256' || header.typ !== 'JWT')
    throw refuseGrant('Invalid JWT: it must be signed with RS256.')
  if (header.kid !== account.privateKeyId)
    throw refuseGrant('Invalid JWT: Unable to find a key with this kid.')
  if (claims.iss !== account.clientEmail) throw refuseGrant('Invalid grant: account not found')
  const signed = Buffer.from(`${head}.${body}`)
  if (!verify('sha256', signed, account.publicKey, Buffer.from(signature, 'base64url')))
    throw refuseGrant('Invalid JWT Signature.')
  if (claims.aud !== audience)
    throw refuseGrant(`Invalid JWT: Failed audience check. The right audience is ${audience}`)
  const { iat, exp } = claims
  const areTimes = typeof iat === 'number' && typeof exp === 'number'
  if (!areTimes || exp - iat > maxSeconds || iat > nowSeconds + skewSeconds)
    throw refuseGrant(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    )
  if (exp < nowSeconds) throw refuseGrant('Invalid JWT: Token has expired.')
  if (claims.scope !== scope) throw refuseGrant('Invalid OAuth scope or ID token audience provided.')
}

function decodePart(part: string): JsonRecord {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  if (isRecord(value)) return value
  throw refuseGrant('Invalid JWT: Failed to parse.')
}
