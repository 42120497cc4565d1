import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/a-settled-request.ts'
import { countRequests, listRequests, type RequestFilter, type RequestPosition } from './list-requests.ts'

const [accountId, keyId, otherKeyId] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()]
const minute = (count: number) => new Date(Date.UTC(2026, 5, 1, 12, count))

test('filters by key, model, status and time combine, and values of one filter are alternatives', async () => {
  const { sql } = await aDatabaseForThisTest()
  const logged: Record<string, string> = {}
  const log = async (name: string, at: number, key: string, model: string, status: number) => {
    const columns = { model, status }
    const request = await aSettledRequest(sql, { accountId, keyId: key, createdAt: minute(at), columns })
    logged[request.id] = name
  }
  await log('a', 0, keyId, 'vendor_a/one', 200)
  await log('b', 1, keyId, 'vendor_b/two', 429)
  await log('c', 2, otherKeyId, 'vendor_a/one', 502)
  await log('d', 3, otherKeyId, 'vendor_c/three', 200)
  const named = async (filter: RequestFilter) => {
    const requests = await listRequests({ sql }, { accountId, filter, limit: 10 })
    expect(await countRequests({ sql }, { accountId, filter, most: 1_000 })).toBe(requests.length)
    return requests.map(({ id }) => logged[id]).join('')
  }

  expect(await named({})).toBe('dcba')
  expect(await named({ keyIds: [keyId] })).toBe('ba')
  expect(await named({ models: ['vendor_a/one', 'vendor_c/three'] })).toBe('dca')
  expect(
    await named({
      statuses: [
        { lowest: 400, highest: 499 },
        { lowest: 502, highest: 502 },
      ],
    }),
  ).toBe('cb')
  expect(await named({ since: minute(1), until: minute(3) })).toBe('cb')
  expect(await named({ keyIds: [otherKeyId], models: ['vendor_a/one'], since: minute(1) })).toBe('c')
  expect(await named({ keyIds: [] })).toBe('')
})

test('positions page on without loss, also among requests of one moment', async () => {
  const { sql } = await aDatabaseForThisTest()
  const logged: string[] = []
  for (const at of [5, 4, 4, 4, 4, 3, 2]) {
    logged.push((await aSettledRequest(sql, { accountId, keyId, createdAt: minute(at) })).id)
  }
  const seen: string[] = []
  let after: RequestPosition | undefined
  for (let round = 0; round < 4; round++) {
    const page = await listRequests({ sql }, { accountId, filter: {}, limit: 2, after })
    seen.push(...page.map(({ id }) => id))
    after = page.at(-1)
  }
  expect(seen).toHaveLength(logged.length)
  expect(new Set(seen)).toEqual(new Set(logged))
})

test('the requests of another account are invisible', async () => {
  const { sql } = await aDatabaseForThisTest()
  await aSettledRequest(sql, { accountId, keyId })
  expect(await listRequests({ sql }, { accountId: systemIds.uuid(), filter: {}, limit: 10 })).toEqual([])
})
