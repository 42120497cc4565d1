import type { Json } from '../../schema/json.ts'

/** Words that tell a secret wherever they stand in a name: `aws_secret_access_key`, `clientSecret`, `X-API-Key`. */
const tellingParts =
  /secret|passw|passphrase|token|credential|apikey|accesskey|privatekey|authorization|bearer|cookie|signature|connectionstring|keys?\d*$/

/** Words that tell one only where they stand alone in a name: `account-key`, `db_pwd`. */
const tellingWords = new Set(['key', 'keys', 'pass', 'pwd', 'pem', 'jwt', 'pat', 'sas', 'psk'])

/** Names that are nothing but such a word. */
const tellingNames = new Set(['auth', 'sig', 'dsn'])

/** What is said about a key or token without being one: `access_key_id`, `token_uri`, `public_key`. */
const harmless = /(key|token|credential)s?(id|uri|url|endpoint|type|name|version)$|publickey/

/** Whether what a name holds is a secret. */
export function isSecretName(name: string): boolean {
  const plain = name.normalize('NFKC')
  const words = plain
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const squashed = squash(plain)
  if (/secret|passw/.test(squashed)) return true
  if (harmless.test(squashed)) return false
  return (
    tellingParts.test(squashed) || tellingNames.has(squashed) || words.some(word => tellingWords.has(word))
  )
}

/**
 * Names that vendors' documents have for what is no secret: where something is, which of several it is, and who one
 * is. Any other name may hold one.
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

/** Whether what a name holds is known to be no secret. */
export function isHarmlessName(name: string): boolean {
  return harmlessNames.has(squash(name.normalize('NFKC')))
}

function squash(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The forms that keys of well-known vendors have, PEM, JSON Web Tokens, and what an Authorization header carries. */
const knownForms = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(sk|rk|pk)-[\w-]{16}/,
  /\bAIza[\w-]{30}/,
  /\bya29\.[\w-]{10}/,
  /^(bearer|basic) +\S{8}/i,
]

/** Whether a text is a secret whatever it is called: by its form, as an address with a password, as JSON with secrets. */
export function isSecretText(text: string): boolean {
  return (
    knownForms.some(form => form.test(text)) ||
    holdsWebToken(text) ||
    isTellingAddress(text) ||
    isTellingJson(text)
  )
}

/** `eyJ….….…`, looked for part by part: an expression that tries every beginning takes quadratic time. */
function holdsWebToken(text: string): boolean {
  if (!text.includes('eyJ')) return false
  return text.split(/[^\w.-]+/).some(word => {
    const parts = word.split('.')
    return parts.some(
      (part, index) => part.includes('eyJ') && part.length > 10 && (parts[index + 1]?.length ?? 0) >= 8,
    )
  })
}

function isTellingAddress(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password, searchParams } = new URL(text)
  return `${username}${password}` !== '' || [...searchParams.keys()].some(isSecretName)
}

function isTellingJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    const value: Json = JSON.parse(text)
    return holdsSecrets(value, 0)
  } catch {
    return false
  }
}

/** Deeper than this nobody looks: it is taken for a secret. */
const maxDepth = 32

function holdsSecrets(value: Json, depth: number): boolean {
  if (typeof value === 'string') return isSecretText(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === maxDepth) return true
  return Object.entries(value).some(([name, item]) => isSecretName(name) || holdsSecrets(item, depth + 1))
}
