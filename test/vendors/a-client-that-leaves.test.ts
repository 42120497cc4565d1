import { describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { theVendorsSystem } from './call-both-ways.ts'
import { vendors } from './vendors.ts'

const system = theVendorsSystem()

describe.each(vendors)('a client that leaves $model', ({ model, inputNanos, outputNanos }) => {
  test('ends the call of the vendor, and pays for what was produced', async () => {
    const client = await aClient(system())
    system().simulator.change({ chunkDelayMs: 10 })
    const stream = await client.openai.chat.completions.create({
      ...saying('say 500 words', model),
      stream: true,
    })
    let seen = 0
    for await (const _ of stream) if (++seen === 20) break
    await expect.poll(() => system().simulator.calls.at(-1)).toMatchObject({ aborted: true, finished: false })
    // The first estimate of a process loads its vocabulary.
    await expect.poll(() => logsOf(system(), client)).toHaveLength(1)
    const [log] = await logsOf(system(), client)
    expect(log).toMatchObject({ status: 499, error_code: 'client_left', usage_estimated: true })
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(15n)
    expect(log?.completion_tokens).toBeLessThan(200n)
    const cost = log?.prompt_tokens * BigInt(inputNanos) + log?.completion_tokens * BigInt(outputNanos)
    expect(log?.cost_nanos).toBe(cost)
    expect(await balanceOf(system().context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n - cost,
    })
  })

  test('before the vendor begins waits for it: where it never does, nothing is paid', async () => {
    const client = await aClient(system())
    const leaving = new AbortController()
    const params = { ...saying('Hello [[fault: hang]]', model), stream: true as const }
    const pending = client.openai.chat.completions.create(params, { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 100)
    await expect(pending).rejects.toThrow(/aborted/)
    await expect.poll(() => logsOf(system(), client)).toMatchObject([{ status: 499, cost_nanos: 0n }])
  })
})
