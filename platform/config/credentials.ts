import { type Static, Type } from 'typebox'
import { CloudConfig, hasSecrets } from './cloud-config.ts'
import { readSettingsFile } from './settings-file.ts'

const closed = { additionalProperties: false }
const perMinute = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))

/** A platform credential as the file of credentials declares it (docs/vendors.md). */
const Declaration = Type.Object(
  {
    /** The name in logs and in the graph. */
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' }),
    api_key: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$' })),
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 }),
    ),
    requests_per_minute: perMinute,
    tokens_per_minute: perMinute,
    config: Type.Optional(CloudConfig),
  },
  closed,
)

/** Maximum number of credentials per vendor. Each request weighs all of them. */
const maxCredentials = 50

const CredentialsFile = Type.Record(
  Type.String({ pattern: '^vendor_[a-r]$' }),
  Type.Array(Declaration, { minItems: 1, maxItems: maxCredentials }),
  closed,
)

/** A credential of the platform for one vendor. */
export interface PlatformCredential {
  /** The name in logs and in the graph. `default` for the credential of `VENDOR_A_API_KEY` and the like. */
  name: string
  /** Empty if `config` has the secrets. */
  apiKey: string
  /** The share of requests, relative to the vendor's other credentials. */
  weight: number
  /** Patterns of the models that it may serve, such as `gpt-5*`; undefined for all. */
  models?: readonly string[] | undefined
  requestsPerMinute?: number | undefined
  tokensPerMinute?: number | undefined
  /** The settings of a cloud: endpoint and deployment, region, service account. */
  config?: Readonly<Record<string, unknown>> | undefined
}

/** Returns the credential of `VENDOR_A_API_KEY` and the like. */
export function singleCredential(apiKey: string): PlatformCredential {
  return { name: 'default', apiKey, weight: 1 }
}

/**
 * Reads the file of credentials, YAML or JSON, by the vendor's label. Throws an Error that names the faulty entry and
 * never contains a secret.
 */
export function readCredentialsFile(path: string): Map<string, PlatformCredential[]> {
  const file = readSettingsFile(path, CredentialsFile)
  return new Map(Object.entries(file).map(([label, declared]) => [label, credentialsOf(label, declared)]))
}

function credentialsOf(label: string, declared: Static<typeof Declaration>[]): PlatformCredential[] {
  const names = new Set<string>()
  return declared.map(({ name, api_key = '', weight = 1, models, config, ...limits }, index) => {
    if (names.has(name)) throw new Error(`${label}/${index}/name repeats the name ${name}`)
    names.add(name)
    if (config?.endpoint !== undefined && config.region !== undefined)
      throw new Error(`${label}/${index}/config has both endpoint and region`)
    if (api_key === '' && !hasSecrets(config))
      throw new Error(`${label}/${index} needs api_key, or a config with secrets`)
    const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = limits
    return { name, apiKey: api_key, weight, models, config, requestsPerMinute, tokensPerMinute }
  })
}
