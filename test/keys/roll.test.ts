import { expect, onTestFinished, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { clientOf, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

async function aKey(settings: object = {}) {
  const { accountId, token } = await system.aPerson()
  const credit = { accountId, amountNanos: 5_000_000_000n, source: 'test', paymentMethod: 'grant' }
  await creditAccount(system.context, credit)
  const rest = (method: string, path: string, given?: object) =>
    system.rest(method, path, { token, body: given })
  const { body } = await rest('POST', '/api-keys', { name: 'a key', ...settings })
  return { accountId, rest, id: String(body.id), key: String(body.key) }
}

async function chatWith(key: string, baseURL = system.baseURL): Promise<number> {
  const client = clientOf({ baseURL }, { accountId: '', keyId: '', text: key })
  return (await client.post('/chat/completions', saying('Hello'))).status
}

test('a rolled key keeps its cap, its spending and its log, and the audit log has the roll', async () => {
  const { accountId, rest, id, key } = await aKey({ credit_limit: 1 })
  expect(await chatWith(key)).toBe(200)
  const rolled = await rest('POST', `/api-keys/${id}/roll`, { overlap_hours: 1 })
  expect(rolled).toMatchObject({
    status: 200,
    body: { id, name: 'a key', key: expect.stringMatching(/^sk-rb-/) },
  })
  for (const secret of [key, rolled.body.key]) expect(await chatWith(secret)).toBe(200)
  const [record, ...others] = (await rest('GET', '/api-keys')).body
  expect(others).toEqual([])
  const { sql } = system.context
  const [log] = await sql`
    select count(distinct api_key_id)::int as keys, count(*)::int as requests, sum(cost_nanos)::bigint as cost
    from request_logs where account_id = ${accountId}`
  expect(log).toMatchObject({ keys: 1, requests: 3 })
  const { previous_key_ends_at } = rolled.body
  const credit_used = Number(log?.cost) / 1e9
  expect(record).toMatchObject({
    id,
    credit_limit: 1,
    credit_used,
    full_key: rolled.body.key,
    previous_key_ends_at,
  })
  expect((await rest('GET', '/audit-log')).body.data[0]).toMatchObject({
    action: 'rollApiKey',
    target_id: id,
    fields: ['overlapHours'],
  })
  expect((await rest('DELETE', `/api-keys/${id}`)).status).toBe(204)
  for (const secret of [key, rolled.body.key]) expect(await chatWith(secret)).toBe(401)
})

test('once a roll without overlap has answered, no process accepts the old secret, and every one the new', async () => {
  const other = await startEdge(system.config)
  onTestFinished(() => other.close())
  const { rest, id, key } = await aKey()
  const processes = [system.baseURL, `${other.url}/v1`]
  for (const baseURL of processes) expect(await chatWith(key, baseURL)).toBe(200)
  const { body } = await rest('POST', `/api-keys/${id}/roll`, { overlap_hours: 0 })
  expect(body.previous_key_ends_at).toBeNull()
  system.simulator.reset()
  for (const baseURL of processes) expect(await chatWith(key, baseURL)).toBe(401)
  expect(system.simulator.calls).toEqual([])
  for (const baseURL of processes) expect(await chatWith(body.key, baseURL)).toBe(200)
})

test('a request of the old secret that is in flight calls no vendor after the roll', async () => {
  const { rest, id, key } = await aKey()
  let isOver = false
  const load = Promise.all(
    Array.from({ length: 5 }, async () => {
      while (!isOver) await chatWith(key)
    }),
  )
  await new Promise(resolve => setTimeout(resolve, 200))
  await rest('POST', `/api-keys/${id}/roll`, { overlap_hours: 0 })
  system.simulator.reset()
  await new Promise(resolve => setTimeout(resolve, 300))
  isOver = true
  await load
  expect(system.simulator.calls).toEqual([])
})

test('the overlap has a default of a day, and a wrong one fails with 422', async () => {
  const { rest, id } = await aKey()
  const { body } = await rest('POST', `/api-keys/${id}/roll`)
  expect(new Date(body.previous_key_ends_at).getTime() - Date.now()).toBeCloseTo(86_400_000, -5)
  expect(await rest('POST', `/api-keys/${id}/roll`, { overlap_hours: 169 })).toMatchObject({
    status: 422,
    body: { error: { param: 'overlap_hours' } },
  })
  expect((await rest('POST', '/api-keys/00000000-0000-4000-8000-000000000000/roll')).status).toBe(404)
})
