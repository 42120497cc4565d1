import type { AccountRefusal } from '../../schema/entities/accounts.ts'
import type { ApiKeyRow } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { type ForeignKeys, verifyForeignToken } from '../accounts/foreign-tokens.ts'
import { verifySessionToken } from '../accounts/session-tokens.ts'
import type { VerifiedTokens } from '../accounts/verified-tokens.ts'
import type { Context } from '../context.ts'
import { compileIpAllowList } from '../keys/ip-allow-list.ts'
import { hmacsOfKey, matchesHmac, parseKeyText } from '../keys/key-text.ts'
import { verifyViewToken, viewTokenIn } from './account-views.ts'
import { type Caller, readBearer } from './caller.ts'

/** The context for authentication. */
export interface AuthenticationContext extends Pick<Context, 'sql' | 'clock' | 'config'> {
  foreignKeys?: ForeignKeys | undefined
  /** Session tokens that were already verified. */
  verified?: VerifiedTokens | undefined
}

/**
 * Identifies the caller of the management API. `authorization` has the values of all `Authorization` headers of the
 * request. Returns undefined if there is none. Throws `unauthenticated` if there are several, or if the token is
 * unknown or revoked, `token_expired`, `account_suspended`, `account_closed`, `key_disabled`, `key_expired`, `ip_not_allowed`.
 */
export async function authenticateCaller(
  context: AuthenticationContext,
  { authorization, address }: { authorization: readonly string[]; address: string },
): Promise<Caller | undefined> {
  const [header, ...more] = authorization
  if (header === undefined) return undefined
  const token = readBearer(header)
  if (token === undefined || more.length > 0) throw new Problem('unauthenticated')
  if (token.startsWith('sk-')) return authenticateKey(context, token, address)
  const viewToken = viewTokenIn(token)
  if (!isCanonical(viewToken ?? token)) throw new Problem('unauthenticated')
  if (viewToken !== undefined) return verifyViewToken(context, { token: viewToken, address })
  const { foreignKeys } = context
  const claims = foreignKeys
    ? await verifyForeignToken(context, token, foreignKeys)
    : await verifySessionToken(context, token)
  return { kind: 'session', ...claims }
}

/** Whether a token is exactly in the form in which it was issued. Decoders ignore padding and unused bits. */
function isCanonical(token: string): boolean {
  return token.split('.').every(part => Buffer.from(part, 'base64url').toString('base64url') === part)
}

async function authenticateKey(
  context: AuthenticationContext,
  text: string,
  address: string,
): Promise<Caller> {
  const key = await findKeyOf(context, text)
  if (!key || key.revokedAt) throw new Problem('unauthenticated')
  if (key.accountRefusal) throw new Problem(key.accountRefusal)
  if (key.disabled) throw new Problem('key_disabled')
  if (key.expiresAt && (await isPast(context, key.expiresAt))) throw new Problem('key_expired')
  if (!compileIpAllowList(key.ipWhitelist)(address)) throw new Problem('ip_not_allowed')
  const { accountId, id: keyId, scopes } = key
  return key.isProvisioning
    ? { kind: 'provisioning', accountId, keyId, scopes }
    : { kind: 'key', accountId, keyId }
}

/** Whether the key has expired, by the clock of Postgres, which all processes share. */
async function isPast({ sql }: AuthenticationContext, moment: Date): Promise<boolean> {
  const [row] = await sql<
    { is_past: boolean }[]
  >`select ${moment}::timestamptz <= clock_timestamp() as is_past`
  return row?.is_past ?? true
}

interface KnownKey extends KeyColumns {
  /** The previous secret's HMAC; null if it has ended. */
  previousHmac: Uint8Array | null
  /** The error with which the account's keys are refused, if an operator suspended or closed it. */
  accountRefusal: AccountRefusal | null
}

type KeyColumns = Pick<
  ApiKeyRow,
  | 'accountId'
  | 'id'
  | 'keyHmac'
  | 'ipWhitelist'
  | 'isProvisioning'
  | 'scopes'
  | 'disabled'
  | 'expiresAt'
  | 'revokedAt'
>

/** Finds a key by its public ID, and verifies it by the HMAC of its full text. */
async function findKeyOf(
  { sql, config }: AuthenticationContext,
  text: string,
): Promise<KnownKey | undefined> {
  const parts = parseKeyText(text)
  if (!parts) return undefined
  const [key] = await sql<KnownKey[]>`
    select k.account_id as "accountId", k.id, k.key_hmac as "keyHmac", k.ip_whitelist as "ipWhitelist",
      k.is_provisioning as "isProvisioning", k.scopes, k.disabled, k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
      case when k.previous_ends_at > clock_timestamp() then k.previous_hmac end as "previousHmac",
      account_refusal(a.suspended_at, a.closed_at) as "accountRefusal"
    from api_keys k join accounts a on a.id = k.account_id where k.public_id = ${parts.publicId}`
  const hmacs = hmacsOfKey(config, text)
  const isCurrent = matchesHmac(hmacs, key?.keyHmac)
  return isCurrent || matchesHmac(hmacs, key?.previousHmac ?? undefined) ? key : undefined
}
