import { type Static, Type } from 'typebox'
import { readSettingsFile } from './settings-file.ts'

const closed = { additionalProperties: false }
const roleNames = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const
const Role = Type.Union(roleNames.map(name => Type.Literal(name)))
const claim = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))

/** An issuer of single sign-on as its file declares it (docs/sign-in.md). */
const Declaration = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    issuer: Type.String({ pattern: '^https?://[^\\s?#]+$', maxLength: 500 }),
    client_id: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$' }),
    client_secret: Type.String({ pattern: '^[\\x20-\\x7e]{1,2000}$' }),
    scope: Type.Optional(Type.String({ pattern: '^openid( [\\x21-\\x7e]+)*$', maxLength: 500 })),
    email_verified_claim: claim,
    domains: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' }),
        Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
        { ...closed, maxProperties: 1_000 },
      ),
    ),
    role_claim: claim,
    roles: Type.Optional(
      Type.Array(Type.Object({ value: Type.String({ minLength: 1, maxLength: 500 }), role: Role }, closed), {
        minItems: 1,
        maxItems: 100,
      }),
    ),
    default_role: Type.Optional(Role),
    opens_accounts: Type.Optional(Type.Boolean()),
    session_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720 })),
  },
  {
    ...closed,
    dependencies: { roles: ['role_claim', 'domains'], role_claim: ['roles'], default_role: ['domains'] },
  },
)

const IssuersFile = Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }), Declaration, {
  ...closed,
  maxProperties: 100,
})

/** The role of a member of an account. */
export type IssuedRole = (typeof roleNames)[number]

/** An OpenID Connect issuer through which users sign in. */
export interface Issuer {
  /** The name in URLs: the redirect URI is `{BASE_URL}/account/sso/{name}/callback`. */
  name: string
  /** The name that users see. */
  title: string
  /** The issuer identifier, exactly as the issuer states it in `iss`. */
  url: string
  clientId: string
  clientSecret: string
  /** The scopes of the authorization request. */
  scope: string
  /** The claim that states whether the issuer has verified the e-mail address. */
  emailVerifiedClaim: string
  /** The account of each e-mail domain for which the issuer is authoritative. */
  accountsByDomain: ReadonlyMap<string, string>
  /** The claim whose values determine the role, and the role of each value. The first value that matches counts. */
  roleClaim: string | undefined
  roles: readonly { value: string; role: IssuedRole }[]
  /** The role of a person without a matching value. Undefined refuses them. */
  defaultRole: IssuedRole | undefined
  /** Whether people whose domain is not mapped may open an account. */
  opensAccounts: boolean
  /** Maximum length of a session, in hours. */
  sessionHours: number
}

/**
 * Reads the file of issuers, YAML or JSON, by their names. Throws an Error that names the faulty entry and never
 * contains a secret.
 */
export function readIssuersFile(path: string): Map<string, Issuer> {
  const file = readSettingsFile(path, IssuersFile)
  const issuers = Object.entries(file).map(([name, declared]) => issuerOf(name, declared))
  const urls = new Set<string>()
  for (const { name, url } of issuers) {
    if (urls.has(url)) throw new Error(`${name}/issuer repeats the issuer of another entry`)
    urls.add(url)
  }
  return new Map(issuers.map(issuer => [issuer.name, issuer]))
}

function issuerOf(name: string, declared: Static<typeof Declaration>): Issuer {
  const {
    domains = {},
    roles = [],
    default_role: defaultRole,
    opens_accounts: opensAccounts = false,
  } = declared
  const accountsByDomain = new Map(Object.entries(domains))
  if (accountsByDomain.size > 0 && roles.length === 0 && !defaultRole)
    throw new Error(`${name} has domains, so it needs role_claim and roles, or default_role`)
  return {
    name,
    title: declared.title ?? name,
    url: declared.issuer,
    clientId: declared.client_id,
    clientSecret: declared.client_secret,
    scope: declared.scope ?? 'openid email profile',
    emailVerifiedClaim: declared.email_verified_claim ?? 'email_verified',
    accountsByDomain,
    roleClaim: declared.role_claim,
    roles,
    defaultRole,
    opensAccounts,
    sessionHours: declared.session_hours ?? 24,
  }
}
