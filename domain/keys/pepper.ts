import { createHmac } from 'node:crypto'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import { associatedDataOfFullKey, hmacOfKey, peppersOf } from './key-text.ts'

/** The context for checking the pepper. */
export interface PepperContext {
  sql: Sql
  config: Pick<Config, 'keyPepper' | 'keyPepperSecond'>
  vault: Vault
}

/** A key with its encrypted text and the HMAC by which it is verified. */
interface SealedKey {
  accountId: string
  id: string
  hmac: Uint8Array
  fullKeySealed: Uint8Array
}

/**
 * Stores the check value of the pepper if the database has none yet, and compares the configured peppers with it. Throws one
 * line if the API keys were created under another pepper: every request with them would fail with 401.
 */
export async function requirePepper(context: PepperContext): Promise<void> {
  await context.sql`
    insert into pepper (check_value) select ${checkValueOf(await pepperOfKeys(context))}
    where not exists (select from pepper) on conflict do nothing`
  await comparePepper(context)
}

/**
 * Compares the configured peppers with the check value in the database, if there is one. Changes nothing. Throws as
 * `requirePepper` does.
 */
export async function comparePepper({ sql, config }: Pick<PepperContext, 'sql' | 'config'>): Promise<void> {
  const [stored] = await sql<{ check: Uint8Array; kept: Uint8Array | null }[]>`
    select check_value as check, kept_value as kept from pepper`
  const accepted = peppersOf(config).map(checkValueOf)
  const accepts = (value: Uint8Array) => accepted.some(check => check.equals(value))
  if (stored && !accepts(stored.check)) throw new Error(wrongPepper)
  if (stored?.kept && !accepts(stored.kept))
    throw new Error(
      'KEY_PEPPER_SECOND: some API keys still need the pepper before the last rotation. Set it, or revoke these keys and run npm run pepper:rotate.',
    )
}

const wrongPepper =
  'KEY_PEPPER: the API keys in the database were created under another pepper. Set that pepper; to replace it, see npm run pepper:rotate -- --help.'

/** Returns the HMAC of a constant, which identifies a pepper without revealing it. */
export function checkValueOf(pepper: string): Buffer {
  return createHmac('sha256', pepper).update('check value of the key pepper').digest()
}

/** Returns the pepper of the newest key that can be decrypted, or the first pepper if there is no such key. */
async function pepperOfKeys(context: PepperContext): Promise<string> {
  const peppers = peppersOf(context.config)
  const keys = await context.sql<SealedKey[]>`
    select account_id as "accountId", id, key_hmac as hmac, full_key_sealed as "fullKeySealed" from api_keys
    where full_key_sealed is not null and revoked_at is null order by created_at desc limit 10`
  for (const key of keys) {
    const text = openText(context, key)
    if (text === undefined) continue
    const pepper = peppers.find(candidate => hmacOfKey(candidate, text).equals(key.hmac))
    if (!pepper) throw new Error(wrongPepper)
    return pepper
  }
  return peppers[0]
}

/** Returns the full text of a key; undefined if it was encrypted with an unknown master key. */
export function openText(
  { vault }: Pick<PepperContext, 'vault'>,
  { accountId, id, fullKeySealed }: Omit<SealedKey, 'hmac'>,
): string | undefined {
  try {
    return vault.open(fullKeySealed, associatedDataOfFullKey(accountId, id))
  } catch {
    return undefined
  }
}
