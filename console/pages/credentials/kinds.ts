import { textOf } from '../../ui/use-form.ts'
import type { Credential, Provider } from './documents.ts'

/** The routes to a vendor: directly, or through one of the three clouds. Each has its own form. */
export const kinds = ['direct', 'azure', 'bedrock', 'vertex'] as const
export type Kind = (typeof kinds)[number]

/** The cloud that serves the models of a vendor. */
export const cloudOf: Readonly<Record<Provider, Exclude<Kind, 'direct'>>> = {
  VENDOR_A: 'azure',
  VENDOR_B: 'bedrock',
  VENDOR_C: 'vertex',
}

/** A field of the configuration. */
export interface ConfigField {
  name: string
  /** Whether the service returns a mask in place of the value. */
  isSecret?: boolean
  isRequired?: boolean
  /** Whether the value is a JSON object, as the file of a service account is. */
  isJson?: boolean
}

/** The fields of each kind's configuration, by the names of the service (docs/vendors.md). */
export const configFields: Readonly<Record<Kind, readonly ConfigField[]>> = {
  direct: [],
  azure: [{ name: 'endpoint', isRequired: true }, { name: 'deployment' }, { name: 'api_version' }],
  bedrock: [
    { name: 'region', isRequired: true },
    { name: 'access_key_id' },
    { name: 'secret_access_key', isSecret: true },
    { name: 'session_token', isSecret: true },
    { name: 'model_prefix' },
  ],
  vertex: [
    { name: 'region', isRequired: true },
    { name: 'service_account', isSecret: true, isRequired: true, isJson: true },
  ],
}

/** Returns the kind of a stored credential, by its configuration. */
export function kindOf({ provider, configJson }: Pick<Credential, 'provider' | 'configJson'>): Kind {
  return Object.keys(storedConfig(configJson)).length === 0 ? 'direct' : cloudOf[provider]
}

/** Returns a stored configuration as an object. */
export function storedConfig(configJson: unknown): Record<string, unknown> {
  return typeof configJson === 'object' && configJson !== null && !Array.isArray(configJson)
    ? { ...configJson }
    : {}
}

/**
 * Reads the configuration from a form. For a secret that is left empty, the stored mask is sent, which keeps the secret.
 * Stored settings that the form does not have are kept. Text that is no JSON is sent unchanged, and the service refuses it.
 */
export function configOf(kind: Kind, fields: FormData, stored: Record<string, unknown>): object | null {
  const own = configFields[kind]
  if (own.length === 0) return null
  const others = Object.entries(stored).filter(([name]) => !own.some(field => field.name === name))
  const read = own.flatMap(({ name, isSecret, isJson }): [string, unknown][] => {
    const text = textOf(fields, `configJson.${name}`)
    if (text !== null) return [[name, isJson ? parsed(text) : text]]
    return isSecret && stored[name] !== undefined ? [[name, stored[name]]] : []
  })
  return Object.fromEntries([...others, ...read])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
