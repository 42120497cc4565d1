import type { Context } from '../../domain/context.ts'
import { hmacOfKey, maskKeyText, mintKeyText, parseKeyText } from '../../domain/keys/key-text.ts'
import { anAccount, type TestKey } from '../../test/harness/an-account.ts'

const millionDollars = 1_000_000_000_000_000n

/** Number of keys that one statement creates. */
const keysAtOnce = 5_000

/** Creates accounts and keys directly in the tables. Consecutive keys belong to different accounts. */
export async function openAccounts(
  context: Context,
  { accounts, keysEach, hasCredits = true }: { accounts: number; keysEach: number; hasCredits?: boolean },
): Promise<TestKey[]> {
  const opened: { accountId: string }[] = []
  while (opened.length < accounts)
    opened.push(await anAccount(context, { creditNanos: hasCredits ? millionDollars : 0n }))
  const keys: TestKey[] = []
  for (let turn = 0; turn < keysEach; turn++)
    for (const { accountId } of opened)
      keys.push({ accountId, keyId: context.ids.uuid(), text: mintKeyText(context.ids, false).text })
  for (let first = 0; first < keys.length; first += keysAtOnce)
    await insertKeys(context, keys.slice(first, first + keysAtOnce))
  await context.sql`analyze`
  return keys
}

async function insertKeys({ sql, config }: Context, keys: readonly TestKey[]): Promise<void> {
  const rows = keys.map(({ accountId, keyId, text }) => ({
    account_id: accountId,
    id: keyId,
    public_id: parseKeyText(text)?.publicId ?? '',
    key_hmac: hmacOfKey(config.keyPepper, text).toString('hex'),
    key_prefix: maskKeyText(text),
  }))
  await sql`
    with created as (
      insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix)
      select account_id, id, public_id, 'benchmark', decode(key_hmac, 'hex'), key_prefix
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        r (account_id uuid, id uuid, public_id text, key_hmac text, key_prefix text)
      returning account_id, id
    )
    insert into key_budgets (account_id, key_id, reset_interval) select account_id, id, 'none' from created`
}
