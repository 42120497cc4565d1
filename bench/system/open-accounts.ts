import type { Context } from '../../domain/context.ts'
import { anAccount, anApiKey, type TestKey } from '../../test/harness/an-account.ts'

const millionDollars = 1_000_000_000_000_000n

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
    for (const account of opened) keys.push(await anApiKey(context, account))
  await context.sql`analyze`
  return keys
}
