import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { register } from './process-row.ts'

const { system, first: ledger } = theLedgers()

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
const growths = fc.record({
  credits: amount,
  held: amount,
  cap: fc.constantFrom(null, null, null, 10n ** 11n),
  hasRow: fc.boolean(),
  ask: fc
    .record({ need: amount, ahead: amount, demand: amount, share: fc.bigInt({ min: 0n, max: 100n }) })
    .map(({ need, share, ...ask }) => ({ ...ask, need: need + 1n, minimum: (need * share) / 100n })),
})

test('the plain growth of a hold has the same effect as grow_holds, or leaves the hold to it', async () => {
  await register(ledger)
  const { accountId } = await anAccount(system.context, { creditNanos: 10n ** 12n })
  const { keyId } = await anApiKey(system.context, { accountId })
  const holdId = system.context.ids.uuid()
  let plain = 0
  await fc.assert(
    fc.asyncProperty(growths, async ({ credits, held, cap, hasRow, ask }) => {
      const grownBy = async (grow: string) => {
        const sql = await system.context.sql.reserve()
        try {
          await sql`begin`
          await sql`update balances set credits_nanos = ${credits}, held_nanos = ${held} where account_id = ${accountId}`
          await sql`update key_budgets set limit_nanos = ${cap} where account_id = ${accountId}`
          if (hasRow)
            await sql`
              insert into holds (account_id, id, key_id, process_id, amount_nanos, in_use_nanos, granted_at)
              values (${accountId}, ${holdId}, ${keyId}, ${ledger.processId}, 5, 3, '-infinity')`
          const row = `(${accountId},${holdId},${keyId},${ask.need},${ask.ahead},${ask.demand},${ask.minimum},)`
          const [grown] = await sql.unsafe(`select ${grow} as grants`, [ledger.processId, row])
          const rows = await sql`
            select b.credits_nanos, b.held_nanos, k.held_nanos as held_of_key, h.amount_nanos, h.in_use_nanos,
              h.granted_at > '-infinity' as is_granted
            from balances b join key_budgets k using (account_id) left join holds h using (account_id)
            where account_id = ${accountId}`
          return { grants: grown?.grants, rows }
        } finally {
          await sql`rollback`
          sql.release()
        }
      }
      const one = await grownBy('grow_hold($1, $2::text::hold_ask)')
      if (one.grants === null) expect(cap !== null || ask.need > credits - held).toBe(true)
      else {
        plain++
        expect(one).toEqual(await grownBy('grow_holds($1, array[$2::text::hold_ask])'))
      }
    }),
  )
  expect(plain).toBeGreaterThan(5)
})
