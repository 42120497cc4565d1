import { Type } from 'typebox'

const word = (maxLength: number) =>
  Type.Optional(Type.String({ pattern: `^[A-Za-z0-9_.-]{1,${maxLength}}$` }))
const headerText = Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$' }))

/** The settings of a platform credential in a cloud: Azure by `endpoint`, Bedrock and Vertex by `region` (docs/vendors.md). */
export const CloudConfig = Type.Object(
  {
    endpoint: Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$' })),
    deployment: word(128),
    api_version: word(40),
    region: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' })),
    model_prefix: word(40),
    access_key_id: headerText,
    secret_access_key: headerText,
    session_token: headerText,
    /** The content of the JSON file of a service account. */
    service_account: Type.Optional(
      Type.Object({
        project_id: Type.String({ minLength: 1 }),
        client_email: Type.String({ minLength: 1 }),
        private_key: Type.String({ minLength: 1 }),
        token_uri: Type.Optional(Type.String({ pattern: '^https?://' })),
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    dependencies: {
      deployment: ['endpoint'],
      api_version: ['endpoint'],
      model_prefix: ['region'],
      access_key_id: ['region', 'secret_access_key'],
      secret_access_key: ['region'],
      session_token: ['access_key_id'],
      service_account: ['region'],
    },
  },
)

/** Whether settings contain the secrets, so that the credential needs no API key. */
export function hasSecrets(config: Readonly<Record<string, unknown>> | undefined): boolean {
  return config?.secret_access_key !== undefined || config?.service_account !== undefined
}
