import { afterEach, expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { aSettingsFile } from '../harness/a-context.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aTaskSystem, submit } from './a-task-system.ts'

const names = ['north', 'south', 'east', 'west']
const system = perFile(() =>
  aTaskSystem(
    {
      VENDOR_A_API_KEY: '',
      VENDOR_CREDENTIALS_FILE: aSettingsFile({
        vendor_a: names.map(name => ({ name, api_key: `sim-${name}` })),
      }),
    },
    { ownModel: 'vendor_a/film' },
  ),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

test('a task is polled with the credential that its vendor has it under', async () => {
  const client = await aClient(system)
  for (let each = 0; each < 3; each++) {
    const before = system.simulator.calls.length
    const id = await submit(system, client, { model: 'vendor_a/film', prompt: 'A paper boat' })
    expect(await system.ended(client, id)).toMatchObject({ status: 'success' })
    expect(system.simulator.calls.length - before).toBeGreaterThan(1)
    expect(new Set(system.usedKeys().slice(before)).size).toBe(1)
  }
})
