import { expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
const control = perFile(() =>
  aControlPlane({
    OPERATOR_KEYS: `ada=${operator.digest}`,
    STRIPE_SECRET_KEY: 'sk_test_unreachable',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
    STRIPE_URL: 'http://127.0.0.1:9',
  }),
)

async function aPersonWithAttempt(ageHours: number) {
  const { sql } = control.context
  const person = await control.aPerson()
  const id = `pay_${systemIds.uuid().replaceAll('-', '')}`
  await sql`
    insert into payments (account_id, id, kind, amount_nanos, currency, card_id, payment_intent_id, called_at, created_at)
    values (${person.accountId}, ${id}, 'automatic', 50000000000, 'usd', 'pm_x', ${`pi_${id}`}, now(),
      now() - make_interval(hours => ${ageHours}))`
  return { ...person, id }
}

const stuck = (token = operator.key) =>
  control.graph(
    'query { stuckTopUps { totalCount nodes { id accountId amount tax paymentIntentId } pageInfo { hasNextPage } } }',
    { token },
  )

const end = (input: object, token = operator.key) =>
  control.graph(
    'mutation ($input: EndTopUpInput!) { endTopUp(input: $input) { topUp { status failure } } }',
    {
      token,
      variables: { input },
    },
  )

test('an operator finds a stuck top-up of any account and ends it; the account reads the reason', async () => {
  const { accountId, id, token } = await aPersonWithAttempt(2)
  await aPersonWithAttempt(1)
  expect((await stuck()).data.stuckTopUps).toMatchObject({
    totalCount: 1,
    nodes: [{ id, accountId, amount: '50', tax: null, paymentIntentId: `pi_${id}` }],
  })
  const { data } = await end({ accountId, id, reason: 'nothing was charged' })
  expect(data.endTopUp.topUp).toEqual({ status: 'FAILED', failure: 'ended_by_operator' })
  expect((await stuck()).data.stuckTopUps.nodes).toEqual([])
  const { body } = await control.rest('GET', '/audit-log', { token })
  const entry = body.data.find(({ action }: { action: string }) => action === 'endTopUp')
  expect(entry).toMatchObject({ outcome: 'done', operator: 'ada', reason: 'nothing was charged' })
  const topUps = await control.rest('GET', '/billing/topup', { token })
  expect(topUps.body.data).toMatchObject([{ id, status: 'failed', failure: 'ended_by_operator' }])
})

test('a young top-up, a wrong account, a blank reason and another caller are refused, and nothing ends', async () => {
  const { accountId, id, token } = await aPersonWithAttempt(0)
  const { accountId: other } = await control.aPerson()
  const problems = [
    await end({ accountId, id, reason: 'too early' }),
    await end({ accountId: other, id, reason: 'a reason' }),
    await end({ accountId: 'x', id, reason: 'a reason' }),
    await end({ accountId, id, reason: ' ' }),
    await end({ accountId, id, reason: 'a reason' }, token),
    await stuck(token),
  ].map(({ errors }) => errors?.[0]?.extensions.problem)
  const notFound = ['not_found', 'not_found']
  expect(problems).toEqual(['conflict', ...notFound, 'validation_failed', 'forbidden', 'forbidden'])
  const entries = await control.context
    .sql`select from audit_log where action = 'endTopUp' and account_id in (${accountId}, ${other})`
  expect(entries.count).toBe(0)
})
