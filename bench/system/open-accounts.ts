import type { Context } from '../../domain/context.ts'
import { hmacOfKey, maskKeyText, mintKeyText } from '../../domain/keys/key-text.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'

const creditNanos = 1_000_000_000_000_000n

/**
 * Creates accounts with a million dollars each, or without money, and a number of keys, directly in the tables. Resolves to
 * the texts of the keys; consecutive keys belong to different accounts.
 */
export async function openAccounts(
  context: Context,
  { accounts, keysEach, hasCredits = true }: { accounts: number; keysEach: number; hasCredits?: boolean },
): Promise<string[]> {
  const accountIds = Array.from({ length: accounts }, () => context.ids.uuid())
  for (const accountId of accountIds) {
    await context.sql`insert into accounts (id, name) values (${accountId}, 'bench')`
    const credit = { accountId, amountNanos: creditNanos, source: 'bench', paymentMethod: 'grant' }
    if (hasCredits) await creditAccount(context, credit)
  }
  const texts: string[] = []
  for (let turn = 0; turn < keysEach; turn++) {
    for (const accountId of accountIds) texts.push(await insertKey(context, accountId))
  }
  await context.sql`analyze`
  return texts
}

async function insertKey({ sql, ids, config }: Context, accountId: string): Promise<string> {
  const keyId = ids.uuid()
  const { text, publicId } = mintKeyText(ids, false)
  await sql`
    insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix)
    values (${accountId}, ${keyId}, ${publicId}, 'bench', ${hmacOfKey(config.keyPepper, text)}, ${maskKeyText(text)})`
  await sql`insert into key_budgets (account_id, key_id) values (${accountId}, ${keyId})`
  return text
}
