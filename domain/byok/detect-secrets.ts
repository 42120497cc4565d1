import type { Json } from '../../schema/json.ts'

/** Parts of names that mark a secret anywhere in the name: `aws_secret_access_key`, `clientSecret`, `X-API-Key`. */
const secretParts =
  /secret|passw|passphrase|token|credential|apikey|accesskey|privatekey|authorization|bearer|cookie|signature|connectionstring|keys?\d*$/

/** Parts of names that mark a secret only as whole words: `account-key`, `db_pwd`. */
const secretWords = new Set(['key', 'keys', 'pass', 'pwd', 'pem', 'jwt', 'pat', 'sas', 'psk'])

/** Whole names of secrets. */
const secretNames = new Set(['auth', 'sig', 'dsn'])

/** Names of fields that belong to a key or token but are not secret: `access_key_id`, `token_uri`, `public_key`. */
const harmlessParts = /(key|token|credential)s?(id|uri|url|endpoint|type|name|version)$|publickey/

/** Whether a field with this name contains a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.normalize('NFKC')
  const words = plain
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const squashed = squash(plain)
  if (/secret|passw/.test(squashed)) return true
  if (harmlessParts.test(squashed)) return false
  return secretParts.test(squashed) || secretNames.has(squashed) || words.some(word => secretWords.has(word))
}

/**
 * Names of fields that, by the vendors' documentation, contain no secret: locations, identifiers and versions. A field
 * with any other name may contain one.
 */
const harmlessNames = new Set(
  `region aws_region location zone endpoint endpoint_url base_url api_base azure_endpoint deployment deployment_id
  deployment_name api_version model model_id model_name model_prefix inference_profile publisher
  project project_id project_number quota_project_id client_email client_id access_key_id aws_access_key_id
  private_key_id token_uri auth_uri auth_provider_x509_cert_url client_x509_cert_url universe_domain token_type
  type public_key tenant tenant_id subscription_id resource_group resource_name organization organization_id
  account_id`
    .split(/\s+/)
    .map(squash),
)

/** Whether a field with this name is known to contain no secret. */
export function isHarmlessName(name: string): boolean {
  return harmlessNames.has(squash(name.normalize('NFKC')))
}

function squash(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Forms of secrets: PEM, keys of well-known vendors, and the value of an Authorization header. */
const knownForms = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(sk|rk|pk)-[\w-]{16}/,
  /\bAIza[\w-]{30}/,
  /\bya29\.[\w-]{10}/,
  /^(bearer|basic) +\S{8}/i,
]

/**
 * Whether a text is a secret, whatever its field's name: it has the form of a secret, is a URL with credentials, or is
 * JSON with secrets in it.
 */
export function isSecretText(text: string): boolean {
  return (
    knownForms.some(form => form.test(text)) ||
    holdsWebToken(text) ||
    isUrlWithSecrets(text) ||
    isJsonWithSecrets(text)
  )
}

/**
 * Whether a text contains a JWT: `eyJ….….…`. It is searched part by part, because a regular expression that tries every
 * start would take quadratic time.
 */
function holdsWebToken(text: string): boolean {
  if (!text.includes('eyJ')) return false
  return text.split(/[^\w.-]+/).some(word => {
    const parts = word.split('.')
    return parts.some(
      (part, index) => part.includes('eyJ') && part.length > 10 && (parts[index + 1]?.length ?? 0) >= 8,
    )
  })
}

function isUrlWithSecrets(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password, searchParams } = new URL(text)
  return `${username}${password}` !== '' || [...searchParams.keys()].some(isSecretName)
}

function isJsonWithSecrets(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    const value: Json = JSON.parse(text)
    return holdsSecrets(value, 0)
  } catch {
    return false
  }
}

/** Maximum depth of JSON that is searched. Deeper values count as secrets. */
const maxDepth = 32

function holdsSecrets(value: Json, depth: number): boolean {
  if (typeof value === 'string') return isSecretText(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === maxDepth) return true
  return Object.entries(value).some(([name, item]) => isSecretName(name) || holdsSecrets(item, depth + 1))
}
