import { afterEach, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { beginAction } from '../audit/record-action.ts'
import { adjustCredits } from '../ledger/adjust-credits.ts'
import { adjustAccount } from './adjust-account.ts'

const system = perFile(aSystem)
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollar = 1_000_000_000n

/** Creates an account with ten dollars, of which four are held. */
async function anAccountAtWork() {
  const { sql, ids } = system.context
  const { accountId } = await anAccount(system.context, { creditNanos: 10n * dollar })
  await sql`insert into holds (account_id, id, amount_nanos, in_use_nanos)
    values (${accountId}, ${ids.uuid()}, ${4n * dollar}, ${4n * dollar})`
  await sql`update balances set held_nanos = ${4n * dollar} where account_id = ${accountId}`
  return accountId
}

const creditsOf = async (accountId: string) => (await balanceOf(system.context.sql, accountId)).credits

test('concurrent debits take at most the available amount, never held money', async () => {
  const accountId = await anAccountAtWork()
  const debits = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      adjustAccount(system.context, { accountId, direction: 'debit', amountNanos: dollar, reason: 'a fee' }),
    ),
  )
  expect(debits.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
  expect(await creditsOf(accountId)).toBe(4n * dollar)
})

test('of concurrent credits under one ID, one is made, and all name its transaction', async () => {
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const adjustment = { accountId, amountNanos: dollar, source: 'once', reason: 'test' }
  const repeats = await Promise.all(
    Array.from({ length: 20 }, () => adjustCredits(system.context, adjustment)),
  )
  expect(repeats.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set(repeats.map(({ transactionId }) => transactionId)).size).toBe(1)
})

test.each(['transactions', 'balances', 'audit_log'])(
  'a connection that breaks at the change of %s changes nothing, and a retry under the same key adjusts once',
  async table => {
    const accountId = await anAccountAtWork()
    const { sql } = system.database
    const action = await beginAction(system.context, {
      accountId,
      name: 'creditAccount',
      actor: { kind: 'operator', id: 'ada' },
    })
    const credit = {
      accountId,
      direction: 'credit',
      amountNanos: dollar,
      reason: 'a gift',
      idempotencyKey: 'gift',
      action,
    } as const
    const stateOf = async () =>
      (await sql<{ state: string }[]>`select state from audit_log where account_id = ${accountId}`)[0]?.state

    await sql.unsafe(`
      create or replace function die() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return new; end $$;
      create trigger die after insert or update on ${table} for each row execute function die()`)
    const live = () => sql.unsafe(`drop trigger if exists die on ${table}`)
    onTestFinished(async () => void (await live()))
    const dying = openPostgres({ url: system.database.url, name: 'test-dying', maxConnections: 1 })
    await expect(adjustAccount({ ...system.context, sql: dying }, credit)).rejects.toThrow()
    await dying.end({ timeout: 1 })
    expect([await creditsOf(accountId), await stateOf()]).toEqual([10n * dollar, 'begun'])

    await live()
    await adjustAccount(system.context, credit)
    await adjustAccount(system.context, credit)
    expect([await creditsOf(accountId), await stateOf()]).toEqual([11n * dollar, 'done'])
  },
)
