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
  const costs: number[][] = [[], [], [], []]
  let running = true
  const load = costs.map(async ofLoop => {
    while (running) {
      const response = await client.post('/chat/completions', saying('How far is the moon?'))
      const body = await response.text()
      if (response.status === 200) ofLoop.push(JSON.parse(body).usage.cost)
      else if (!isOfBusyMachine(response.status, body)) failures.push(`${response.status} ${body}`)
    }
  })
  const old = await firstOf(costs, () => true)
  const { changed } = await applyCatalogue(system.context, after)
  await firstOf(costs, cost => cost !== old)
  await expect.poll(() => costs.every(ofLoop => ofLoop.filter(cost => cost !== old).length >= 5)).toBe(true)
  running = false
  await Promise.all(load)

  expect(failures).toEqual([])
  expect(changed).toEqual(['chat.atlas'])
  for (const ofLoop of costs) expect(ofLoop).toEqual(ofLoop.toSorted((a, b) => a - b))
  expect(new Set(costs.flat())).toEqual(new Set([old, 2 * old]))
})

/** Whether a request failed because other processes keep the machine busy, and cost nothing. */
function isOfBusyMachine(status: number, body: string): boolean {
  return status === 503 && /"(overloaded|unavailable|settlement_unknown)"/.test(body)
}

/** Waits for a cost that fits. */
async function firstOf(costs: number[][], fits: (cost: number) => boolean): Promise<number> {
  await expect.poll(() => costs.flat().some(fits)).toBe(true)
  return costs.flat().find(fits)!
}

/** Doubles the price of Atlas. Every other model is unchanged. */
function twiceAsDear(entry: CatalogueEntry): CatalogueEntry {
  if (entry.id !== 'chat.atlas' || entry.modality !== 'chat') return entry
  const rates = entry.prices.rates.map(rate => {
    const [dollars, ...unit] = rate.price.split(' ')
    return { ...rate, price: [2 * Number(dollars), ...unit].join(' ') }
  })
  return { ...entry, prices: { ...entry.prices, rates } }
}
