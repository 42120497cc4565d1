import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../domain/ledger/credit-account.ts'
import { aControlPlane, type ControlPlane, type Person } from './harness/a-control-plane.ts'
import { aSettledRequest } from './harness/a-settled-request.ts'

const statements: string[] = []
let control: ControlPlane
beforeAll(async () => {
  control = await aControlPlane({}, { onStatement: statement => statements.push(statement) })
})
afterAll(() => control.close())

const journey = `{
  me { balance { credits held available } apiKeys { name usage { requests spent } } }
}`

test('one query shows the balance, and what each key spent', async () => {
  const { accountId, token } = await aRichPerson()
  const busy = await aKey(token, 'busy')
  await aKey(token, 'idle')
  const { sql, ids } = control.context
  await aSettledRequest(sql, { accountId, keyId: busy, costNanos: 1_500_000n })
  await aSettledRequest(sql, { accountId, keyId: busy, costNanos: 2_250_000n })
  await sql`insert into holds (account_id, id, amount_nanos, in_use_nanos)
    values (${accountId}, ${ids.uuid()}, 9000000000, 4000000000)`

  const { status, data, errors } = await control.graph(journey, { token })

  expect(errors).toBeUndefined()
  expect(status).toBe(200)
  expect(data.me).toEqual({
    balance: { credits: 99.99625, held: 4, available: 95.99625 },
    apiKeys: [
      { name: 'idle', usage: { requests: 0, spent: 0 } },
      { name: 'busy', usage: { requests: 2, spent: 0.00375 } },
    ],
  })
})

test('it takes as many statements for twenty keys as for one', async () => {
  const [one, many] = [await aRichPerson(), await aRichPerson()]
  await aKey(one.token, 'only')
  for (let count = 0; count < 20; count++) await aKey(many.token, `key ${count}`)
  const ask = ({ token }: Person) => statementsOf(() => control.graph(journey, { token }))
  await ask(one) // what the first query of a process asks besides

  const forOne = await ask(one)
  const forTwenty = await ask(many)

  expect(forTwenty).toHaveLength(forOne.length)
  for (const table of ['accounts', 'balances', 'api_keys', 'key_budgets', 'request_logs']) {
    expect(forTwenty.filter(statement => statement.includes(table))).toHaveLength(1)
  }
  const toTellWhoCalls = forTwenty.filter(statement => /signing_keys|refresh_tokens/.test(statement))
  expect(forTwenty.length - toTellWhoCalls.length).toBe(5)
})

async function aRichPerson(): Promise<Person> {
  const person = await control.aPerson()
  const credit = { accountId: person.accountId, amountNanos: 100_000_000_000n }
  await creditAccount(control.context, { ...credit, source: 'payment', paymentMethod: 'stripe' })
  return person
}

async function aKey(token: string, name: string): Promise<string> {
  const { body } = await control.rest('POST', '/api-keys', { token, body: { name } })
  return body.id
}

async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await action()
  return [...statements]
}
