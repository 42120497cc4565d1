import { afterEach, expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aTaskSystem, submit } from './a-task-system.ts'

const system = perFile(() =>
  aTaskSystem({
    WORKER_JOBS: '4',
    ALLOWANCES: 'worker_steps=2/2',
    FIRST_BYTE_TIMEOUT_MS: '60000',
    SHUTDOWN_GRACE_MS: '100',
  }),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

test('tasks whose vendor is silent occupy no job: more accounts than jobs hold up no other account', async () => {
  const silent = { model: 'vendor_o/tempo', prompt: 'Rain [[fault: hang]]' }
  for (let account = 0; account < 8; account++) {
    const client = await aClient(system)
    await Promise.all([1, 2, 3].map(() => submit(system, client, silent, '/audio/generations')))
  }
  // Each account has as many calls as its allowance of steps.
  await expect.poll(() => system.simulator.calls.length).toBe(16)
  const other = await aClient(system)
  const id = await submit(system, other, { model: 'vendor_i/reel', prompt: 'A paper boat' })
  expect(await system.ended(other, id)).toMatchObject({ status: 'success' })
  expect(silentCalls()).toBe(16)
}, 60_000)

function silentCalls(): number {
  return system.simulator.calls.filter(({ body }) => JSON.stringify(body ?? '').includes('hang')).length
}
