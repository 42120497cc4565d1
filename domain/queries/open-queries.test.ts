import { expect, test } from 'vitest'
import { pooledAddress } from '../../platform/postgres/addresses.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openQueries } from './open-queries.ts'

const system = perFile(() => aSystem({ ALLOWANCES: 'queries=1/2' }))

test('an account runs its allowance of queries, sixty more wait, and the next is refused', async () => {
  const { context, config } = system
  const { accountId } = await anAccount(context, { creditNanos: 0n })
  const queries = openQueries(pooledAddress(config), { name: 'test', allowances: context.allowances })
  let running = 0
  let max = 0
  const query = () =>
    queries.run(accountId, async ({ sql }) => {
      running += 1
      max = Math.max(max, running)
      await sql`select 1`
      running -= 1
    })
  const outcomes = await Promise.allSettled(Array.from({ length: 62 }, query))
  await queries.close()
  expect(max).toBe(1)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toMatchObject([{ reason: { code: 'allowance_exceeded', details: { param: 'queries' } } }])
})
