import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const system = theEdgeSystem()

test('a price changes under load: no request fails, each pays the old price or the new, the later ones the new', async () => {
  const edge = await anEdgeProcess(system) // a process that does not wait while this one applies the catalogue
  onTestFinished(() => edge.kill())
  const client = clientOf(edge, await aClient(system))
  const before = await theCatalogue()
  const after = { ...before, models: before.models.map(twiceAsDear) }
  const failures: string[] = []
  let running = true
  const load = Array.from({ length: 4 }, async () => {
    while (running) {
      const response = await client.post('/chat/completions', saying('How far is the moon?'))
      const body = await response.text()
      const isShed = response.status === 503 && body.includes('"overloaded"') // by a machine that others keep busy
      if (response.status !== 200 && !isShed) failures.push(`${response.status} ${body}`)
    }
  })
  await sleep(500)
  const { changed } = await applyCatalogue(system.context, after)
  const appliedAt = new Date()
  await sleep(2_500)
  running = false
  await Promise.all(load)

  expect(failures).toEqual([])
  expect(changed).toEqual(['chat.atlas'])
  const paid = await system.context.sql<{ cost: number; at: Date }[]>`
    select cost_nanos::float8 as cost, created_at as at from request_logs
    where account_id = ${client.accountId} order by created_at`
  const old = paid[0]!.cost
  expect([...new Set(paid.map(({ cost }) => cost))]).toEqual([old, 2 * old])
  const late = paid.filter(({ at }) => at.getTime() > appliedAt.getTime() + 1_500)
  expect(late.length).toBeGreaterThan(10)
  expect(late.filter(({ cost }) => cost !== 2 * old)).toEqual([])
})

/** Doubles the price of Atlas. Every other model is unchanged. */
function twiceAsDear(entry: CatalogueEntry): CatalogueEntry {
  if (entry.id !== 'chat.atlas' || entry.modality !== 'chat') return entry
  const rates = entry.prices.rates.map(rate => {
    const [dollars, ...unit] = rate.price.split(' ')
    return { ...rate, price: [2 * Number(dollars), ...unit].join(' ') }
  })
  return { ...entry, prices: { ...entry.prices, rates } }
}
