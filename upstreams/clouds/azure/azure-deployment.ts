import type { ChatCall, Target } from '../../chat-adapter.ts'

/** Where a credential of Azure leads: a deployment of a model, at the customer's own endpoint. */
export interface AzureDeployment {
  origin: string
  path: string
  /** What the deployment is called; the vendor's own name of the model where it is called nothing else. */
  name: string
}

/** A dated version of the API: the older surface, whose paths name the deployment. */
const dated = /^\d{4}-\d{2}-\d{2}(-preview)?$/

/**
 * The deployment that a credential names by `endpoint`, `deployment` and `api_version`; undefined for a credential of
 * the vendor itself. Without a date for a version it is the v1 surface, which takes the deployment as the model.
 */
export function azureDeployment(
  { entry }: Pick<ChatCall, 'entry'>,
  { config }: Target,
): AzureDeployment | undefined {
  if (typeof config?.endpoint !== 'string') return undefined
  const { origin, pathname } = new URL(config.endpoint)
  const name = typeof config.deployment === 'string' ? config.deployment : entry.upstream.model
  const version = typeof config.api_version === 'string' ? config.api_version : undefined
  const prefix = `${pathname.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')}/openai`
  const query = version ? `?api-version=${encodeURIComponent(version)}` : ''
  const surface = version && dated.test(version) ? `deployments/${encodeURIComponent(name)}` : 'v1'
  return { origin, path: `${prefix}/${surface}/chat/completions${query}`, name }
}
