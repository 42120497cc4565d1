import { findAccount } from '../domain/accounts/accounts.ts'
import { EmailTakenError, openAccount } from '../domain/accounts/open-account.ts'
import { hashPassword } from '../domain/accounts/passwords.ts'
import { readCallbackSecrets } from '../domain/callbacks/callback-secrets.ts'
import { creditAccount } from '../domain/ledger/adjust-credits.ts'
import { systemClock } from '../platform/clock.ts'
import { systemIds } from '../platform/ids.ts'
import { openPostgres, type Sql } from '../platform/postgres/open-postgres.ts'
import type { Vault } from '../platform/secrets/vault.ts'

/** The demo account with its log-in and keys. */
interface DemoAccount extends LogIn {
  jwt: string
  apiKey: string
  provisioningKey: string
  callbackSecret: string
}

const startingCreditNanos = 100_000_000_000n

/**
 * Creates the demo account with 100 dollars at the first start. Later starts find the same log-in and keys.
 */
export async function seedDemoAccount(options: {
  baseUrl: string
  databaseUrl: string
  password: string
  vault: Vault
}): Promise<DemoAccount> {
  const { baseUrl, databaseUrl, password, vault } = options
  const logIn = { email: 'demo@example.com', password }
  const sql = openPostgres({ url: databaseUrl, name: 'dev-start', maxConnections: 1 })
  try {
    const jwt = await logInDemo({ baseUrl }, logIn, sql)
    await giveStartingCredit(sql, logIn.email)
    const face = { baseUrl, jwt }
    const apiKey = await findOrCreateKey(face, { name: 'demo', isProvisioning: false })
    const provisioningKey = await findOrCreateKey(face, { name: 'demo provisioning', isProvisioning: true })
    const callbackSecret = await readSecret({ sql, vault }, logIn.email)
    return { ...logIn, jwt, apiKey, provisioningKey, callbackSecret }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Returns the secret that signs the account's callbacks. */
async function readSecret({ sql, vault }: { sql: Sql; vault: Vault }, email: string): Promise<string> {
  const { accountId } = await findAccount({ sql }, { emailOrId: email })
  const [current] = await readCallbackSecrets({ sql, vault, ids: systemIds }, { accountId })
  if (!current) throw new Error('the demo account has no callback secret')
  return current.secret
}

async function giveStartingCredit(sql: Sql, email: string): Promise<void> {
  const { accountId } = await findAccount({ sql }, { emailOrId: email })
  const gift = { accountId, amountNanos: startingCreditNanos, source: 'demo', paymentMethod: 'grant' }
  await creditAccount({ sql }, gift)
}

export interface LogIn {
  email: string
  password: string
}

/**
 * Returns a session token of the demo account. Creates a missing account directly in the database, because sign-up may be
 * closed. Throws a one-line error if the account exists with another password.
 */
async function logInDemo(face: RestFace, logIn: LogIn, sql: Sql): Promise<string> {
  const post = () => callRest(face, { method: 'POST', path: '/auth/log-in', body: logIn })
  const known = await post()
  if (known.status !== 401) return tokenOf(known)
  await openDemo(logIn, sql)
  return tokenOf(await post())
}

async function openDemo(logIn: LogIn, sql: Sql): Promise<void> {
  const passwordHash = await hashPassword(logIn.password)
  const context = { sql, clock: systemClock, ids: systemIds }
  try {
    await openAccount(context, { email: logIn.email, passwordHash, name: 'Demo', isConfirmed: true })
  } catch (error) {
    if (!(error instanceof EmailTakenError)) throw error
    const fault = `the database has ${logIn.email} under another password: use an empty database, or --reset`
    throw new Error(fault, { cause: error })
  }
}

function tokenOf(answer: RestAnswer): string {
  const session = expectSuccess('log-in', answer)
  if (typeof session.access_token === 'string') return session.access_token
  throw new Error('log-in answered without a session token')
}

/** Returns the full text of the account's key of that name, and creates the key if there is none. */
async function findOrCreateKey(
  face: RestFace,
  wanted: { name: string; isProvisioning: boolean },
): Promise<string> {
  const listed = await callRest(face, { method: 'GET', path: '/api-keys' })
  const keys = Object.values(expectSuccess('the list of keys', listed)).filter(isObject)
  const known = keys.find(key => key.name === wanted.name && key.disabled === false && works(key))
  if (typeof known?.full_key === 'string') return known.full_key

  const body = { name: wanted.name, is_provisioning: wanted.isProvisioning }
  const created = expectSuccess(
    'a new key',
    await callRest(face, { method: 'POST', path: '/api-keys', body }),
  )
  return String(created.key)
}

function works({ full_key, expires_at }: Record<string, unknown>): boolean {
  const hasExpired = typeof expires_at === 'string' && Date.parse(expires_at) < Date.now()
  return typeof full_key === 'string' && !hasExpired
}

/** The REST face of a running system, with or without a session. */
interface RestFace {
  baseUrl: string
  jwt?: string
}

interface RestAnswer {
  status: number
  body: unknown
}

/** Calls the management API as any client would. Throws if the server does not respond. */
async function callRest(
  face: RestFace,
  call: { method: 'GET' | 'POST'; path: string; body?: object },
): Promise<RestAnswer> {
  const response = await fetch(`${face.baseUrl}/api/v1${call.path}`, {
    method: call.method,
    headers: {
      'content-type': 'application/json',
      ...(face.jwt !== undefined && { authorization: `Bearer ${face.jwt}` }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
    signal: AbortSignal.timeout(30_000),
  })
  return { status: response.status, body: await response.json() }
}

/**
 * Returns the body of a successful response, an object or an array. Throws the message of any other response.
 */
function expectSuccess(what: string, { status, body }: RestAnswer): Record<string, unknown> {
  if (status < 300 && isObject(body)) return body
  throw new Error(
    `${what} was answered with ${status}: ${isObject(body) ? String(body.msg) : 'no JSON object'}`,
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
