import type { Json } from '../../../schema/json.ts'

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
  const squashed = plain.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (/secret|passw/.test(squashed)) return true
  if (harmless.test(squashed)) return false
  return (
    tellingParts.test(squashed) || tellingNames.has(squashed) || words.some(word => tellingWords.has(word))
  )
}

/** The forms that keys of well-known vendors have, PEM, JSON Web Tokens, and what an Authorization header carries. */
const knownForms = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(sk|rk|pk)-[\w-]{16,}/,
  /\bAIza[\w-]{30,}/,
  /\bya29\.[\w-]{10,}/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\./,
  /^(bearer|basic) +\S{8,}/i,
]

/** Whether a text is a secret whatever it is called: by its form, as an address with a password, as JSON with secrets. */
export function isSecretText(text: string): boolean {
  return knownForms.some(form => form.test(text)) || isTellingAddress(text) || isTellingJson(text)
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
