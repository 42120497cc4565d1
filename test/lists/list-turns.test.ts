import { beforeAll, expect, test } from 'vitest'
import { theControlPlane } from '../harness/a-control-plane.ts'

const { control, person } = theControlPlane()

beforeAll(async () => {
  const { accountId } = person
  await control.context.sql`
  insert into deliveries (account_id, id, event, url, receiver) values (${accountId}, 'msg_1', 'task.completed', '', '')`
})

test.each([
  ['apiKeys { nodes { id } }', 'api_keys'],
  ['me { apiKeys { id } }', 'api_keys'],
  ['topUps { nodes { id } }', 'payments'],
  ['callbackDelivery(id: "msg_1") { tries { number } }', 'delivery_tries'],
  ['callbackDeliveries { nodes { id } }', 'deliveries'],
  ['transactions { nodes { id } }', 'transactions'],
  ['auditEntries { nodes { id } }', 'audit_log'],
  ['requests { nodes { id } }', 'request_logs'],
  ['tasks { nodes { id } }', 'tasks'],
  ['usage { nodes { requests } }', 'usage_counters'],
])('{ %s } has the statement limit and the turns of queries', async (list, table) => {
  await control.context.sql.begin(async sql => {
    await sql.unsafe(`lock table ${table} in access exclusive mode`)
    const { errors } = await control.graph(`{ ${list} }`, { token: person.token })
    expect(errors?.[0]?.extensions).toMatchObject({ problem: 'overloaded' })
    expect(errors?.[0]?.message).toMatch(/^The query reads too much/)
  })
})
