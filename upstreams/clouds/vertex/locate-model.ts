import type { VertexCredential } from './service-account.ts'

/** Regions that are many: their hosts are named otherwise. */
const hostsOfMany: ReadonlyMap<string, string> = new Map([
  ['global', 'aiplatform.googleapis.com'],
  ['us', 'aiplatform.us.rep.googleapis.com'],
  ['eu', 'aiplatform.eu.rep.googleapis.com'],
])

/** Where a model of a project answers: in the credential's region, unless it names a base address of its own. */
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
  return hostsOfMany.get(region) ?? `${region}-aiplatform.googleapis.com`
}

/** The address of the vendor's other API, which takes API keys, is none for a service account. */
function isOverride(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname !== 'generativelanguage.googleapis.com'
}
