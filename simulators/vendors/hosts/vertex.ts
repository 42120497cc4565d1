import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { type Answer, type Exchange, Refusal } from '../../server/exchange.ts'
import { generateContent } from '../gemini/generate.ts'
import { geminiHost, refuse } from '../gemini/host.ts'
import { gemini } from '../gemini/routes.ts'
import { bearerOf } from '../host.ts'
import type { Simulator, VendorApi } from '../simulator.ts'

/** Gemini's models in a Vertex project, for any region. The base URL is `{simulator}/vertex`. */
export const vertex: VendorApi = {
  ...gemini,
  routes: {
    'GET /vertex/service-account.json': showServiceAccount,
    'POST /vertex/token': issueToken,
    'POST /vertex/:version(v1|v1beta1)/projects/:project/locations/:region/publishers/google/models/:model\\::method(generateContent|streamGenerateContent)':
      generateContent({ ...geminiHost, authenticate }),
  },
}

/** Returns the project, which partitions the cache. Throws a `Refusal` for an invalid token or another project. */
function authenticate(exchange: Exchange, simulator: Simulator): string {
  const expiresAt = simulator.accessTokens.get(bearerOf(exchange)) ?? 0
  if (expiresAt <= simulator.clock.now())
    throw refuse(401, 'Request had invalid authentication credentials. Expected OAuth 2 access token.')
  const { project = '', region, model } = exchange.params
  if (project === serviceAccountOf(simulator).file.project_id) return project
  const resource = `//aiplatform.googleapis.com/projects/${project}/locations/${region}/publishers/google/models/${model}`
  throw refuse(
    403,
    `Permission 'aiplatform.endpoints.predict' denied on resource '${resource}' (or it may not exist).`,
  )
}

/** The file that customers download from Google's console, without its `token_uri`, and the public key. */
export interface ServiceAccount {
  readonly file: Readonly<Record<'project_id' | 'private_key_id' | 'private_key' | 'client_email', string>>
  readonly publicKey: KeyObject
}

function serviceAccountOf(simulator: Simulator): ServiceAccount {
  simulator.serviceAccount ??= createAccount()
  return simulator.serviceAccount
}

function createAccount(): ServiceAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = {
    type: 'service_account',
    project_id: 'sim-project',
    private_key_id: 'sim0000000000000000000000000000000000key',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: 'caller@sim-project.iam.gserviceaccount.com',
    client_id: '100000000000000000000',
  }
  return { file, publicKey }
}

/** Handles `GET /vertex/service-account.json`. */
function showServiceAccount(simulator: Simulator, { origin }: Exchange): Answer {
  return { body: { ...serviceAccountOf(simulator).file, token_uri: `${origin}/vertex/token` } }
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const scope = 'https://www.googleapis.com/auth/cloud-platform'
const lifetimeSeconds = 3599

/** Handles `POST /vertex/token`: returns an access token for a JWT signed by the service account. */
async function issueToken(simulator: Simulator, { bytes, id, origin }: Exchange): Promise<Answer> {
  const form = new URLSearchParams(bytes.toString())
  if (form.get('grant_type') !== grantType)
    throw refuseGrant(`Invalid grant_type: ${form.get('grant_type')}`, 'unsupported_grant_type')
  await checkAssertion(simulator, form.get('assertion') ?? '', `${origin}/vertex/token`)
  const token = `ya29.sim-${id.toString(36).padStart(12, '0')}`
  simulator.accessTokens.set(token, simulator.clock.now() + lifetimeSeconds * 1000)
  return { body: { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' } }
}

function refuseGrant(description: string, error = 'invalid_grant'): Refusal {
  return new Refusal({ status: 400, body: { error, error_description: description } })
}

/** Checks a JWT as Google's token endpoint does: signature, key, issuer, audience, times and scope. */
async function checkAssertion(simulator: Simulator, assertion: string, audience: string): Promise<void> {
  const { file, publicKey } = serviceAccountOf(simulator)
  const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
    ...{ algorithms: ['RS256'], typ: 'JWT', issuer: file.client_email, audience },
    ...{ requiredClaims: ['iat', 'exp'], maxTokenAge: 3600, clockTolerance: 60 },
    currentDate: new Date(simulator.clock.now()),
  }).catch((error: unknown) => {
    if (error instanceof errors.JWSSignatureVerificationFailed) throw refuseGrant('Invalid JWT Signature.')
    throw refuseGrant(`Invalid JWT: ${error instanceof Error ? error.message : error}`)
  })
  const isShort = (payload.exp ?? 0) - (payload.iat ?? 0) <= 3600
  if (protectedHeader.kid !== file.private_key_id || !isShort || payload.scope !== scope)
    throw refuseGrant('Invalid JWT: its key, lifetime (at most 60 minutes) or scope is invalid.')
}
