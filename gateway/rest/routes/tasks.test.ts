import { expect, test } from 'vitest'
import { theControlPlane } from '../../../test/harness/a-control-plane.ts'

const { control, person } = theControlPlane()

test('deliveries are listed by state, newest first, without those of other accounts', async () => {
  const { sql } = control.context
  const other = await control.aPerson()
  const make = (accountId: string, id: string, state: string) => sql`
    insert into deliveries (account_id, id, event, url, receiver, state, created_at)
    values (${accountId}, ${id}, 'task.failed', 'https://example.com/hook', 'example.com', ${state},
      timestamptz '2026-11-26' + (select count(*) from deliveries) * interval '1 second')`
  await make(person.accountId, 'msg_1', 'failed')
  await make(person.accountId, 'msg_2', 'delivered')
  await make(person.accountId, 'msg_3', 'gone')
  await make(other.accountId, 'msg_4', 'failed')
  const idsOf = async (query: string) => {
    const { body } = await control.rest('GET', `/callbacks?${query}`, { token: person.token })
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await idsOf('state=failed&state=gone')).toEqual(['msg_3', 'msg_1'])
  expect(await idsOf('state=delivered')).toEqual(['msg_2'])
  expect(await idsOf('')).toEqual(['msg_3', 'msg_2', 'msg_1'])
  const first = await control.rest('GET', '/callbacks?state=failed&state=gone&first=1', {
    token: person.token,
  })
  expect(first.body).toMatchObject({
    data: [{ id: 'msg_3', state: 'gone', event: 'task.failed', try_count: 0 }],
    page_info: { has_next_page: true },
  })
  expect(await idsOf(`state=failed&state=gone&after=${first.body.page_info.end_cursor}`)).toEqual(['msg_1'])
  const wrong = await control.rest('GET', '/callbacks?state=lost', { token: person.token })
  expect([wrong.status, wrong.body.error.param]).toEqual([422, 'state[0]'])
  const counted = await control.graph(
    '{ callbackDeliveries(filter: { states: [FAILED, GONE] }) { totalCount } }',
    { token: person.token },
  )
  expect(counted.data.callbackDeliveries.totalCount).toBe(2)
})
