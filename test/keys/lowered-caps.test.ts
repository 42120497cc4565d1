import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { resumeAccount, suspendAccount } from '../../domain/accounts/suspend-account.ts'
import { adjustAccount } from '../../domain/billing/adjust-account.ts'
import { updateKey } from '../../domain/keys/change-key.ts'
import { maxKeyAgeMs } from '../../domain/keys/key-revision.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeSystem)
const orm = perFile(() => openOrm({ url: system.config.databaseUrl, name: 'test', entities }))

const rich = 1_000_000_000_000n

test('once a lower cap is confirmed, no edge answers beyond it, however long the key was idle', async () => {
  const [client, other] = await aKeyOfTwoEdges()
  for (const edge of [client, other]) expect(await burst(edge, 5)).toEqual(answers(5, 200))
  await sleep(3 * maxKeyAgeMs) // the edges have forgotten the key, and keep headroom for it
  const { accountId, keyId } = client
  const context = { ...system.context, em: orm.em.fork() }
  await updateKey(context, { accountId, keyId, changes: { creditLimitNanos: 1_000n } })
  const before = await balanceOf(system.context.sql, accountId)
  for (const edge of [client, other]) expect(await burst(edge, 20)).toEqual(answers(20, 402))
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(before.credits)
  await expectLedgerToBalance(system.context.sql)
})

test('once a suspension is confirmed, no edge answers, however long the key was idle; its money is granted again', async () => {
  const [client, other] = await aKeyOfTwoEdges()
  for (const edge of [client, other]) expect(await burst(edge, 5)).toEqual(answers(5, 200))
  await sleep(3 * maxKeyAgeMs)
  const { accountId } = client
  await suspendAccount(system.context, { accountId, reason: 'a test' })
  const before = await balanceOf(system.context.sql, accountId)
  for (const edge of [client, other]) expect(await burst(edge, 20)).toEqual(answers(20, 403))
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(before.credits)
  await resumeAccount(system.context, { accountId })
  await system.context.sql`update key_budgets set limit_nanos = 1000 where key_id = ${client.keyId}`
  for (const edge of [client, other]) expect(await burst(edge, 5)).toEqual(answers(5, 402))
})

test('once a debit is confirmed, no edge keeps headroom that it got by the earlier balance', async () => {
  const [client, other] = await aKeyOfTwoEdges()
  for (const edge of [client, other]) expect(await burst(edge, 5)).toEqual(answers(5, 200))
  const { accountId } = client
  const { credits, held } = await balanceOf(system.context.sql, accountId)
  const debit = { accountId, direction: 'debit', amountNanos: credits - held, reason: 'a test' } as const
  await adjustAccount(system.context, debit)
  for (const edge of [client, other]) await burst(edge, 1)
  await expect
    .poll(async () => (await balanceOf(system.context.sql, accountId)).held)
    .toBeLessThanOrEqual(held / 10n)
})

async function aKeyOfTwoEdges(): Promise<[TestClient, TestClient]> {
  const edge = forThisTest(await startEdge(system.config))
  const client = await aClient(system, { creditNanos: rich })
  return [client, clientOf({ baseURL: `${edge.url}/v1` }, client)]
}

async function burst(client: TestClient, count: number): Promise<number[]> {
  const body = { ...saying('Hi'), max_tokens: 16 }
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await client.post('/chat/completions', body)
      await response.arrayBuffer()
      return response.status
    }),
  )
}

function answers(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status)
}
