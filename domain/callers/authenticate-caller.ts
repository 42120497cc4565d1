import { ApiKeyEntity, type ApiKeyRow } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { type ForeignKeys, verifyForeignToken } from '../accounts/foreign-tokens.ts'
import { verifySessionToken } from '../accounts/session-tokens.ts'
import type { ManagementContext } from '../context.ts'
import { compileIpAllowList } from '../keys/ip-allow-list.ts'
import { hmacOfKey, parseKeyText, sameHmac } from '../keys/key-text.ts'
import { type Caller, readBearer } from './caller.ts'

/** What authentication needs. */
export interface AuthenticationContext extends ManagementContext {
  foreignKeys?: ForeignKeys | undefined
}

/**
 * Identifies who calls the management API. `authorization` holds every such header of the request: without
 * one the caller is undefined, two are refused. Throws `unauthenticated` for an unknown or revoked
 * credential, `token_expired`, `key_disabled`, `key_expired`, `ip_not_allowed`.
 */
export async function authenticateCaller(
  context: AuthenticationContext,
  { authorization, address }: { authorization: readonly string[]; address: string },
): Promise<Caller | undefined> {
  const [header, ...more] = authorization
  if (header === undefined) return undefined
  const credential = readBearer(header)
  if (credential === undefined || more.length > 0) throw new Problem('unauthenticated')
  if (credential.startsWith('sk-')) return authenticateKey(context, credential, address)
  const { foreignKeys } = context
  const claims = foreignKeys
    ? await verifyForeignToken(context, credential, foreignKeys)
    : await verifySessionToken(context, credential)
  return { kind: 'session', ...claims }
}

async function authenticateKey(context: ManagementContext, text: string, address: string): Promise<Caller> {
  const key = await findKeyOf(context, text)
  if (!key || key.revokedAt) throw new Problem('unauthenticated')
  if (key.disabled) throw new Problem('key_disabled')
  if (key.expiresAt && (await isPast(context, key.expiresAt))) throw new Problem('key_expired')
  if (!compileIpAllowList(key.ipWhitelist)(address)) throw new Problem('ip_not_allowed')
  return { kind: key.isProvisioning ? 'provisioning' : 'key', accountId: key.accountId, keyId: key.id }
}

/** By the clock of Postgres, which all processes share. */
async function isPast({ sql }: ManagementContext, moment: Date): Promise<boolean> {
  const [row] = await sql<
    { is_past: boolean }[]
  >`select ${moment}::timestamptz <= clock_timestamp() as is_past`
  return row?.is_past ?? true
}

/** Finds a key by its public id, and recognises it by the HMAC of its whole text. */
async function findKeyOf({ em, config }: ManagementContext, text: string): Promise<ApiKeyRow | undefined> {
  const parts = parseKeyText(text)
  if (!parts) return undefined
  const key = await em.findOne(ApiKeyEntity, { publicId: parts.publicId })
  return sameHmac(hmacOfKey(config.keyPepper, text), key?.keyHmac) && key ? key : undefined
}
