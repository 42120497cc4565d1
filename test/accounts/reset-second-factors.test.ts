import { expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
const control = perFile(() => aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}` }))

const reset = (input: object, token = operator.key) =>
  control.graph(
    'mutation ($input: ResetSecondFactorsInput!) { resetSecondFactors(input: $input) { endedSessions } }',
    { token, variables: { input } },
  )

async function aMember() {
  const { sql, ids } = control.context
  const { accountId, token, email, password } = await control.aPerson()
  const [member] = await sql<{ userId: string }[]>`
    select user_id as "userId" from memberships where account_id = ${accountId}`
  const userId = member?.userId ?? ''
  await sql`
    insert into recovery_codes ${sql({ user_id: userId, code_hash: Buffer.from(ids.uuid()), created_at: new Date() })}`
  return { accountId, userId, token, email, password }
}

const codesOf = async (userId: string) =>
  (await control.context.sql`select from recovery_codes where user_id = ${userId}`).count

test('an operator resets the second factors of a member, whose sessions end; the audit log has the reason', async () => {
  const { accountId, userId, token, email, password } = await aMember()
  const { data } = await reset({ accountId, userId, reason: 'lost phone, checked by video call' })
  expect(data.resetSecondFactors).toEqual({ endedSessions: 1 })
  expect(await codesOf(userId)).toBe(0)
  expect((await control.rest('GET', '/me', { token })).status).toBe(401)
  const session = (await control.rest('POST', '/auth/log-in', { body: { email, password } })).body
  const log = await control.rest('GET', '/audit-log', { token: session.access_token })
  const entry = log.body.data.find(({ action }: { action: string }) => action === 'resetSecondFactors')
  expect(entry).toMatchObject({
    outcome: 'done',
    operator: 'ada',
    reason: 'lost phone, checked by video call',
  })
})

test('a user who is not a member, a blank reason and another caller are refused, and nothing is reset', async () => {
  const [member, other] = [await aMember(), await aMember()]
  const { accountId, userId } = member
  const problems = [
    await reset({ accountId: other.accountId, userId, reason: 'a reason' }),
    await reset({ accountId, userId: 'x', reason: 'a reason' }),
    await reset({ accountId, userId, reason: ' ' }),
    await reset({ accountId, userId, reason: 'a reason' }, member.token),
  ].map(({ errors }) => errors?.[0]?.extensions.problem)
  expect(problems).toEqual(['not_found', 'not_found', 'validation_failed', 'forbidden'])
  expect(await codesOf(userId)).toBe(1)
  const log = await control.context
    .sql`select from audit_log where action = 'resetSecondFactors' and account_id = ${accountId}`
  expect(log.count).toBe(0)
})
