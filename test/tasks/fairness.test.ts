import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { aTaskSystem, submit, type TaskSystem } from './a-task-system.ts'

let system: TaskSystem

beforeAll(async () => {
  system = await aTaskSystem({ WORKER_JOBS: '16', FIRST_BYTE_TIMEOUT_MS: '3000' })
}, 60_000)
afterEach(() => expectLedgerToBalance(system.context.sql))
afterAll(() => system.close(), 60_000)

test('an account whose tasks hang at their vendor does not hold up those of another', async () => {
  const [hung, other] = [await aClient(system), await aClient(system)]
  const hanging = { model: 'vendor_o/tempo', prompt: 'Rain [[fault: hang]]' }
  await Promise.all(Array.from({ length: 40 }, () => submit(system, hung, hanging, '/audio/generations')))
  const since = performance.now()
  const id = await submit(system, other, { model: 'vendor_i/reel', prompt: 'A paper boat' })
  expect(await system.ended(other, id)).toMatchObject({ status: 'success' })
  expect(performance.now() - since).toBeLessThan(2_900)
}, 30_000)
