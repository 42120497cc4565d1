import { describe, expect, test, vi } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { theVendorsSystem } from './call-both-ways.ts'
import { vendors } from './vendors.ts'

const system = theVendorsSystem()

/** The delay of calls that run at the same time. */
const patience = { timeout: 15_000, interval: 25 }

describe.each(vendors)('a client that leaves $model', ({ model, inputNanos, outputNanos }) => {
  test('ends the call of the vendor, and pays for what was produced', async () => {
    const client = await aClient(system)
    system.simulator.change({ chunkDelayMs: 10 })
    const stream = await client.openai.chat.completions.create({
      ...saying('say 500 words', model),
      stream: true,
    })
    let seen = 0
    for await (const _ of stream) if (++seen === 20) break
    await expect.poll(() => system.simulator.calls.at(-1)).toMatchObject({ aborted: true })
    // The first estimate of a process loads its vocabulary.
    await expect.poll(() => logsOf(system, client)).toHaveLength(1)
    const [log] = await logsOf(system, client)
    expect(log).toMatchObject({ status: 499, error_code: 'client_left', usage_estimated: true })
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(15n)
    expect(log?.completion_tokens).toBeLessThan(200n)
    const cost = log?.prompt_tokens * BigInt(inputNanos) + log?.completion_tokens * BigInt(outputNanos)
    expect(log?.cost_nanos).toBe(cost)
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n - cost,
    })
  })
})

describe('a client that leaves before the vendor begins', () => {
  test.concurrent.each(vendors)(
    'waits for $model: where it never does, nothing is paid',
    async ({ model }) => {
      const client = await aClient(system)
      const leaving = new AbortController()
      const prompt = `Hello ${model} [[fault: hang]]`
      const params = { ...saying(prompt, model), stream: true as const }
      const pending = client.openai.chat.completions.create(params, { signal: leaving.signal })
      const left = expect(pending).rejects.toThrow(/aborted/)
      const { calls } = system.simulator
      const isAsked = () => expect(JSON.stringify(calls)).toContain(prompt)
      await vi.waitFor(isAsked, patience)
      leaving.abort()
      await left
      const isLogged = async () =>
        expect(await logsOf(system, client)).toMatchObject([{ status: 499, cost_nanos: 0n }])
      await vi.waitFor(isLogged, patience)
    },
  )
})
