import { beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../domain/ledger/adjust-credits.ts'
import { aControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../../../test/harness/an-account.ts'
import { aSettledRequest, type SettledRequest } from '../../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../../test/harness/per-file.ts'

let key: TestKey
let requests: SettledRequest[]

const control = perFile(aControlPlane)
const person = perFile(() => control.aPerson())

beforeAll(async () => {
  const { accountId } = person
  key = await anApiKey(control.context, { accountId })
  const { sql, ids } = control.context
  const credit = { accountId, amountNanos: 10_000_000_000n, source: 'payment', paymentMethod: 'stripe' }
  await creditAccount(control.context, credit)
  requests = []
  for (const costNanos of [100_000n, 250_000n, 4_000n]) {
    requests.push(await aSettledRequest(sql, { accountId, keyId: key.keyId, costNanos }))
  }
  await sql`insert into holds (account_id, id, amount_nanos, in_use_nanos)
  values (${accountId}, ${ids.uuid()}, 700000000, 500000000)`
})

const get = (path: string, token: string | undefined = person.token) =>
  control.rest('GET', `/billing/${path}`, { token })

test('the balance shows credits, held, available and currency', async () => {
  const { status, body } = await get('balance')
  expect(status).toBe(200)
  expect(body).toEqual({ credits: 9.999646, held: 0.5, available: 9.499646, currency: 'USD' })
})

test('transactions have all fields and references, and are listed newest first', async () => {
  const { status, body } = await get('transactions')
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'per_page'])
  expect(body).toMatchObject({ total: 4, page: 1, per_page: 20 })
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^txn_/),
    credits: -0.000004,
    amount: 0.000004,
    payment_method: 'usage',
    status: 'completed',
    api_key_id: key.keyId,
    request_id: requests[2]?.id,
    task_id: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
  })
  expect(body.data[3]).toMatchObject({ credits: 10, amount: 10, payment_method: 'stripe', request_id: null })
})

test('another account reads its own balance and transactions', async () => {
  const { token } = await control.aPerson()
  const empty = { credits: 0, held: 0, available: 0, currency: 'USD' }
  expect((await get('balance', token)).body).toEqual(empty)
  expect((await get('transactions', token)).body).toMatchObject({ data: [], total: 0 })
})
