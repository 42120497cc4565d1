import { hmacOfKey } from './key-text.ts'
import { checkValueOf, openText, type PepperContext, requirePepper } from './pepper.ts'

/** Number of keys that one statement reads or writes. */
const batchRows = 500

/** The outcome of a rotation. */
export interface PepperRotation {
  rehashed: number
  /** Keys that keep the second pepper, because their text is not stored or cannot be decrypted. */
  kept: string[]
}

interface KeyRow {
  accountId: string
  id: string
  hmac: Uint8Array
  fullKeySealed: Uint8Array | null
}

/**
 * Hashes every key that is not revoked with `KEY_PEPPER`: decrypts its text and replaces its HMAC. Then makes
 * `KEY_PEPPER` the pepper of the database. Safe to repeat. Throws one line if `KEY_PEPPER_SECOND` is not set, and the
 * errors of `requirePepper`.
 */
export async function rotatePepper(context: PepperContext): Promise<PepperRotation> {
  const { sql, config } = context
  const { keyPepper, keyPepperSecond } = config
  if (!keyPepperSecond) throw new Error('KEY_PEPPER_SECOND must be the pepper that KEY_PEPPER replaces')
  await requirePepper(context)
  const rotation: PepperRotation = { rehashed: 0, kept: [] }
  for (let last: KeyRow | undefined; ; ) {
    const keys: KeyRow[] = await sql<KeyRow[]>`
      select account_id as "accountId", id, key_hmac as hmac, full_key_sealed as "fullKeySealed" from api_keys
      where revoked_at is null ${last ? sql`and (account_id, id) > (${last.accountId}, ${last.id})` : sql``}
      order by account_id, id limit ${batchRows}`
    if (keys.length === 0) break
    last = keys.at(-1)
    rotation.rehashed += await rehash(context, keys, rotation)
  }
  const kept = rotation.kept.length > 0 ? checkValueOf(keyPepperSecond) : null
  await sql`update pepper set check_value = ${checkValueOf(keyPepper)}, kept_value = ${kept}`
  return rotation
}

/**
 * Replaces the HMACs of a batch. A row that was changed concurrently keeps its HMAC. Resolves to the number of
 * replaced HMACs.
 */
async function rehash(
  { sql, vault, config }: PepperContext,
  keys: readonly KeyRow[],
  { kept }: PepperRotation,
): Promise<number> {
  const changes = keys.flatMap(({ fullKeySealed, ...key }) => {
    const text = fullKeySealed ? openText({ vault }, { ...key, fullKeySealed }) : undefined
    const renewed = text === undefined ? undefined : hmacOfKey(config.keyPepper, text)
    if (!renewed) kept.push(`${key.accountId}/${key.id}`)
    if (!renewed || renewed.equals(key.hmac)) return []
    return [
      {
        account_id: key.accountId,
        id: key.id,
        old: Buffer.from(key.hmac).toString('hex'),
        renewed: renewed.toString('hex'),
      },
    ]
  })
  const written = await sql`
    update api_keys k set key_hmac = decode(c.renewed, 'hex')
    from json_to_recordset(${JSON.stringify(changes)}::text::json)
      as c (account_id uuid, id uuid, old text, renewed text)
    where k.account_id = c.account_id and k.id = c.id and k.key_hmac = decode(c.old, 'hex')`
  return written.count
}
