import { isRecord } from '../../platform/checks.ts'
import type { AdapterServices, ChatAdapter, HttpRequest, ServiceAccount } from '../chat-adapter.ts'
import type { MediaAdapter } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** Whether a credential is for Vertex AI: it contains a service account of Google Cloud. */
export function isVertex({ config }: Target): boolean {
  return config?.service_account !== undefined && config.service_account !== null
}

/**
 * Serves the Gemini format from Vertex AI: the same body at the address of the project's models in their region, with a
 * token of the service account. `buildRequest` throws UpstreamFailure if the account is incomplete or refused.
 */
export function onVertex(adapter: ChatAdapter): ChatAdapter {
  return {
    ...adapter,
    async buildRequest(call, target, services) {
      const request = await adapter.buildRequest(call, target, services)
      return toVertex(request, { model: call.entry.upstream.model, target, services })
    },
  }
}

/** Serves images in the Gemini format from Vertex AI in the same way. */
export function imagesOnVertex(adapter: MediaAdapter): MediaAdapter {
  return {
    ...adapter,
    async buildSubmit(call, target, services) {
      const request = await adapter.buildSubmit(call, target, services)
      return toVertex(request, { model: call.entry.upstream.model, target, services })
    },
  }
}

async function toVertex<Request extends Omit<HttpRequest, 'body'>>(
  request: Request,
  { model, target, services }: { model: string; target: Target; services: AdapterServices },
): Promise<Request> {
  const credential = readVertexCredential(target)
  const located = locateVertexModel(credential, { baseUrl: target.baseUrl, model })
  // The method, `:generateContent` or `:streamGenerateContent?alt=sse`, is the same.
  const method = request.path.slice(request.path.lastIndexOf(':'))
  const { 'x-goog-api-key': _, ...headers } = request.headers
  const token = await services.accessToken(credential.account)
  return {
    ...request,
    origin: located.origin,
    path: located.path + method,
    headers: { ...headers, authorization: `Bearer ${token}` },
  }
}

/** A service account and the region in which its models run. */
interface VertexCredential {
  account: ServiceAccount
  region: string
}

/** Reads the `config` of a credential. Throws UpstreamFailure `auth` if a part of it is missing. */
export function readVertexCredential({ config }: Target): VertexCredential {
  const fields = isRecord(config?.service_account) ? config.service_account : {}
  const read = (name: string): string => {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
    throw new UpstreamFailure('auth', { message: `the service account has no ${name}` })
  }
  const region = config?.region
  if (typeof region !== 'string' || !/^[a-z0-9-]{2,40}$/.test(region)) {
    throw new UpstreamFailure('auth', { message: 'the credential of a service account needs a region' })
  }
  return {
    region,
    account: {
      clientEmail: read('client_email'),
      privateKey: read('private_key'),
      privateKeyId: typeof fields.private_key_id === 'string' ? fields.private_key_id : undefined,
      projectId: read('project_id'),
      tokenUri: typeof fields.token_uri === 'string' ? fields.token_uri : defaultTokenUri,
    },
  }
}

/** Google's endpoint that exchanges assertions for tokens. */
export const defaultTokenUri = 'https://oauth2.googleapis.com/token'

/** Locations that span several regions. Their host names have another form. */
const multiRegionHosts: ReadonlyMap<string, string> = new Map([
  ['global', 'aiplatform.googleapis.com'],
  ['us', 'aiplatform.us.rep.googleapis.com'],
  ['eu', 'aiplatform.eu.rep.googleapis.com'],
])

/** Returns the URL of a project's model: in the credential's region, unless the credential has a base URL. */
export function locateVertexModel(
  { account, region }: VertexCredential,
  { baseUrl, model }: { baseUrl: string; model: string },
): { origin: string; path: string } {
  const base = new URL(isOverride(baseUrl) ? baseUrl : `https://${hostOf(region)}`)
  const prefix = base.pathname.replace(/\/+$/, '')
  const project = encodeURIComponent(account.projectId)
  const path = `/v1beta1/projects/${project}/locations/${region}/publishers/google/models/${encodeURIComponent(model)}`
  return { origin: base.origin, path: `${prefix}${path}` }
}

function hostOf(region: string): string {
  return multiRegionHosts.get(region) ?? `${region}-aiplatform.googleapis.com`
}

/** The vendor's other API, at `generativelanguage.googleapis.com`, takes API keys and no service accounts. */
function isOverride(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname !== 'generativelanguage.googleapis.com'
}
