import { expect, test, vi } from 'vitest'
import { closeContext, openContext } from '../../domain/context.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aConfig, type TestSystem } from '../harness/a-context.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPostgresPair } from '../harness/postgres/a-postgres-pair.ts'

const pair = perFile(aPostgresPair)
const system = perFile(() => anEdgeSystem({}, { openSystem }))

async function openSystem(env: Record<string, string> = {}): Promise<TestSystem> {
  const { url } = pair
  const config = aConfig({ DATABASE_URL: url, ...env })
  const context = openContext(config, { name: 'test' })
  await migrate(url, new URL('../../schema', import.meta.url).pathname)
  const database = { url, sql: context.sql, close: async () => {} }
  return { config, context, database, close: () => closeContext(context) }
}

test('a standby promoted under load: every answer that was delivered is charged once, and no other', async () => {
  const client = await aClient(system)
  const answered = new Set<string>()
  let stopping = false
  const load = Array.from({ length: 8 }, async (_, at) => {
    while (!stopping) {
      const stream = at % 2 === 1
      const response = await client.post('/chat/completions', { ...saying('say 20 words'), stream })
      const text = await response.text()
      const id = response.headers.get('x-request-id') ?? ''
      if (response.status === 200) answered.add(id)
      else expect([id, response.status, text]).toEqual([id, 503, text])
    }
  })
  const more = (count: number) => {
    const before = answered.size
    return vi.waitFor(() => expect(answered.size).toBeGreaterThan(before + count), 20_000)
  }
  await more(20)
  await pair.failOver()
  await more(20)
  await pair.killFirst()
  await more(20)
  stopping = true
  await Promise.all(load)
  // A refused request may have been charged, and is refunded. A delivered response may be charged late.
  await vi.waitFor(async () => expect(await chargedRequests()).toEqual(answered), 20_000)
  await expectLedgerToBalance(system.context.sql)
}, 90_000)

async function chargedRequests(): Promise<Set<string>> {
  const rows = await system.context.sql<{ id: string; entries: number }[]>`
    select request_id as id, sum(case payment_method when 'usage' then 1 else -1 end)::int as entries
    from transactions where request_id is not null group by 1`
  expect(rows.filter(({ entries }) => entries > 1)).toEqual([])
  return new Set(rows.filter(({ entries }) => entries === 1).map(({ id }) => id))
}
