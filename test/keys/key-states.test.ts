import { expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { clientOf, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const person = perFile(async () => {
  const { accountId, token } = await system.aPerson()
  const credit = { accountId, amountNanos: 5_000_000_000n, source: 'test', paymentMethod: 'grant' }
  await creditAccount(system.context, credit)
  return { accountId, token }
})

const keys = (method: string, path = '', body?: object) =>
  system.rest(method, `/api-keys${path}`, { token: person.token, body })
const aKey = async (settings: object = {}): Promise<{ id: string; key: string }> =>
  (await keys('POST', '', { name: 'a key', ...settings })).body

/** The status and the error code of a short chat with the key. */
async function chatWith(key: string): Promise<[status: number, code?: string]> {
  const client = clientOf(system, { accountId: person.accountId, keyId: '', text: key })
  const response = await client.post('/chat/completions', saying('Hello'))
  const { error } = await response.json()
  return error ? [response.status, error.code] : [response.status]
}

test('a key fails with 403 after its expires_at', async () => {
  const { id, key } = await aKey({ expires_at: '2099-01-01T00:00:00Z' })
  expect(await chatWith(key)).toEqual([200])
  await keys('PUT', `/${id}`, { expires_at: new Date(Date.now() + 500).toISOString() })
  await expect.poll(() => chatWith(key)).toEqual([403, 'key_expired'])
})

test('a key whose credit_limit is reached fails with 402 until the limit is raised or its period ends', async () => {
  const { id, key } = await aKey({ credit_limit: 0, credit_reset_interval: 'daily' })
  expect(await chatWith(key)).toEqual([402, 'credit_limit_reached'])
  const used = async () => (await keys('PUT', `/${id}`, {})).body.credit_used
  await keys('PUT', `/${id}`, { credit_limit: 1 })
  expect(await chatWith(key)).toEqual([200])
  const spent = await used()
  expect(spent).toBeGreaterThan(0)
  await keys('PUT', `/${id}`, { credit_limit: spent })
  expect(await chatWith(key)).toEqual([402, 'credit_limit_reached'])
  // One day later, the amount belongs to a period that has ended.
  const { sql } = system.context
  await sql`update key_budgets set counted_at = counted_at - interval '1 day' where key_id = ${id}`
  expect(await used()).toBe(0)
  await keys('PUT', `/${id}`, { credit_limit: spent * 2 })
  expect(await chatWith(key)).toEqual([200])
})

test('last_error of a credential is its last failure; the next success clears it and sets last_used_at', async () => {
  const other = await system.aPerson()
  const rest = async (method: string, path: string, body?: object) =>
    (await system.rest(method, path, { token: other.token, body })).body
  const base_url = `${system.simulator.url}/openai/v1`
  const { key } = await rest('POST', '/api-keys', { name: 'a key' })
  const own = { provider: 'vendor_a', label: 'own', api_key: 'sim-401-refused', base_url }
  const { id } = await rest('POST', '/byok', own)
  const record = async () => (await rest('GET', '/byok'))[0]
  await chatWith(key)
  await expect.poll(record).toMatchObject({ last_error: expect.any(String), last_used_at: null })
  await rest('PUT', `/byok/${id}`, { api_key: 'sim-good-key', base_url })
  await chatWith(key)
  const used = { last_error: null, last_used_at: expect.stringMatching(/^\d{4}-/) }
  await expect.poll(record).toMatchObject(used)
})
