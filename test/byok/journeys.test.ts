import type OpenAI from 'openai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { credentialJourneys as journeys } from './credential-journeys.ts'

const system = perFile(anEdgeBeforeControl)
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

test.each(Object.keys(journeys))(
  '%s: registered, used whole and streamed, paid for by nobody here, gone',
  async name => {
    const journey = journeys[name]!
    const client = await aClient(system, { creditNanos: 0n })
    const body = { label: name, ...(await journey.credential(system.simulator.url)) }
    const added = await system.rest('POST', '/byok', { token: client.text, body })
    expect(added).toMatchObject({ status: 201, body: { label: name, last_used_at: null, last_error: null } })
    expect(JSON.stringify(added.body)).not.toContain(journey.secret)
    const { id } = added.body

    const whole = await client.openai.chat.completions.create(saying('Hello', journey.model))
    const firstUse = await usedAfter(client, id, 0)
    const streamed = await client.openai.chat.completions
      .stream({ ...saying('Hello', journey.model), stream_options: { include_usage: true } })
      .finalChatCompletion()
    await usedAfter(client, id, firstUse)
    for (const answer of [whole, streamed]) expectAnswer(answer, journey.model)
    for (const { usage } of [whole, streamed]) expect(usage).toMatchObject({ cost: 0 })

    const calls = system.simulator.calls.filter(call => call.method === 'POST')
    const paths = [...(journey.tokenPath ? [journey.tokenPath] : []), journey.path]
    expect(calls.map(call => call.path)).toEqual([...paths, journey.streamPath ?? journey.path])
    for (const { headers, body: sent } of calls.slice(-2)) {
      if (journey.sentModel) expect(sent).toMatchObject({ model: journey.sentModel })
      expect(headers).toMatchObject(journey.headers)
      for (const header of journey.without) expect(headers).not.toHaveProperty(header)
      expect(JSON.stringify(headers)).not.toContain(client.text)
    }

    const logs = await system.context.sql`
      select status, byok_id, cost_nanos, completion_tokens from request_logs
      where account_id = ${client.accountId} order by created_at`
    const free = { status: 200, byok_id: id, cost_nanos: 0n }
    expect(logs).toMatchObject([free, free])
    expect(logs.map(log => log.completion_tokens)).toEqual(
      [whole, streamed].map(answer => BigInt(answer.usage?.completion_tokens ?? 0)),
    )
    expect(await balanceOf(system.context.sql, client.accountId)).toEqual({
      credits: 0n,
      held: 0n,
      in_use: 0n,
    })

    expect((await system.rest('DELETE', `/byok/${id}`, { token: client.text })).status).toBe(204)
    const unpaid = await client.post('/chat/completions', saying('Hello', journey.model))
    expect(unpaid.status).toBe(402)
  },
)

function expectAnswer(answer: OpenAI.ChatCompletion, model: string): void {
  expect(answer).toMatchObject({ model, choices: [{ finish_reason: 'stop' }] })
  expect(answer.choices[0]?.message.content).toContain('read "Hello"')
  expect(answer.usage?.completion_tokens).toBeGreaterThan(0)
}

/** When the credential was last used, once that is later than `earlier`, in milliseconds since 1970. */
function usedAfter(client: TestClient, id: string, earlier: number): Promise<number> {
  return vi.waitFor(
    async () => {
      const { body } = await system.rest('GET', '/byok', { token: client.text })
      const record = body.find((one: { id: string }) => one.id === id)
      expect(record.last_error).toBeNull()
      const usedAt = Date.parse(record.last_used_at ?? 0)
      expect(usedAt).toBeGreaterThan(earlier)
      return usedAt
    },
    { timeout: 5_000, interval: 50 },
  )
}
