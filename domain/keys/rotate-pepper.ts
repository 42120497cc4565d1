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
  sealed: Uint8Array | null
  previousHmac: Uint8Array | null
  previousSealed: Uint8Array | null
}

/**
 * Hashes every key that is not revoked with `KEY_PEPPER`: decrypts its text and replaces its HMAC. Secrets before a roll
 * are hashed too; keys of the playground have no text. Then makes `KEY_PEPPER` the pepper of the database. Safe to repeat. Throws one line if
 * `KEY_PEPPER_SECOND` is not set, and the errors of `requirePepper`.
 */
export async function rotatePepper(context: PepperContext): Promise<PepperRotation> {
  const { sql, config } = context
  const { keyPepper, keyPepperSecond } = config
  if (!keyPepperSecond) throw new Error('KEY_PEPPER_SECOND must be the pepper that KEY_PEPPER replaces')
  await requirePepper(context)
  let rehashed = 0
  const kept = new Set<string>()
  for (let last: KeyRow | undefined; ; ) {
    const keys: KeyRow[] = await sql<KeyRow[]>`
      select account_id as "accountId", id, key_hmac as hmac, full_key_sealed as sealed,
        case when previous_ends_at > now() then previous_hmac end as "previousHmac",
        previous_key_sealed as "previousSealed"
      from api_keys
      where revoked_at is null and not is_playground ${last ? sql`and (account_id, id) > (${last.accountId}, ${last.id})` : sql``}
      order by account_id, id limit ${batchRows}`
    if (keys.length === 0) break
    last = keys.at(-1)
    const previous = keys.flatMap(({ previousHmac: hmac, previousSealed: sealed, ...key }) =>
      hmac ? [{ ...key, hmac, sealed }] : [],
    )
    rehashed += await rehash(context, { secrets: keys, column: 'key_hmac', kept })
    rehashed += await rehash(context, { secrets: previous, column: 'previous_hmac', kept })
  }
  const keptValue = kept.size > 0 ? checkValueOf(keyPepperSecond) : null
  await sql`update pepper set check_value = ${checkValueOf(keyPepper)}, kept_value = ${keptValue}`
  return { rehashed, kept: [...kept] }
}

/** One secret of a key. */
type Secret = Pick<KeyRow, 'accountId' | 'id' | 'hmac' | 'sealed'>

/**
 * Replaces the HMACs of a batch. A row that was changed concurrently keeps its HMAC. Resolves to the number of
 * replaced HMACs.
 */
async function rehash(
  { sql, vault, config }: PepperContext,
  { secrets, column, kept }: { secrets: readonly Secret[]; column: string; kept: Set<string> },
): Promise<number> {
  const changes = secrets.flatMap(({ accountId, id, hmac, sealed }) => {
    const text = sealed ? openText({ vault }, { accountId, id, fullKeySealed: sealed }) : undefined
    const renewed = text === undefined ? undefined : hmacOfKey(config.keyPepper, text)
    if (!renewed) kept.add(`${accountId}/${id}`)
    if (!renewed || renewed.equals(hmac)) return []
    return [
      { account_id: accountId, id, old: Buffer.from(hmac).toString('hex'), renewed: renewed.toString('hex') },
    ]
  })
  const written = await sql`
    update api_keys k set ${sql(column)} = decode(c.renewed, 'hex')
    from json_to_recordset(${JSON.stringify(changes)}::text::json)
      as c (account_id uuid, id uuid, old text, renewed text)
    where k.account_id = c.account_id and k.id = c.id and k.${sql(column)} = decode(c.old, 'hex')`
  return written.count
}
