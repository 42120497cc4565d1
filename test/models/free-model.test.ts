import { beforeAll, expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const system = perFile(anEdgeSystem)

beforeAll(async () => {
  const { models, ...catalogue } = await theCatalogue()
  const free = models.map(entry => {
    if (entry.modality !== 'chat') return entry
    const rates = entry.prices.rates.map(rate => ({ ...rate, price: '0 per 1M tokens' }))
    return { ...entry, prices: { rates, surcharges: [] } }
  })
  await applyCatalogue(system.context, { ...catalogue, models: free })
  // The edge reads the catalogue again within a second.
  await new Promise(resolve => setTimeout(resolve, 1_500))
})

test.each([false, true])(
  'a free model answers an account without money, and every request is logged: streamed %s',
  async stream => {
    const client = await aClient(system, { creditNanos: 0n })
    const response = await client.post('/chat/completions', { ...saying('Hi'), stream })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(stream ? '[DONE]' : '"usage"')
    const logs = await system.context.sql<{ cost: bigint; status: number }[]>`
      select cost_nanos as cost, status from request_logs where account_id = ${client.accountId}`
    expect([...logs]).toEqual([{ cost: 0n, status: 200 }])
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ credits: 0n, held: 0n })
    await expectLedgerToBalance(system.context.sql)
  },
)
