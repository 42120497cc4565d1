import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../dev/simulator/start-simulator.ts'
import type { ChatChunk, ChatRequest } from '../schema/wire/chat.ts'
import { callChat } from '../upstreams/call-chat.ts'
import { Line } from '../upstreams/http/line.ts'
import { openUpstreams } from '../upstreams/open-upstreams.ts'
import { aChatCall } from './harness/a-chat-call.ts'
import { aConfig } from './harness/a-context.ts'

let simulator: RunningSimulator
let upstreams: ReturnType<typeof openUpstreams>

beforeAll(async () => {
  simulator = await startSimulator()
  upstreams = openUpstreams(aConfig({}))
})
afterEach(() => simulator.reset())
afterAll(async () => {
  await upstreams.close()
  await simulator.close()
})

const atlas = 'vendor_a/atlas'

/** Another each time, or its breaker would open. */
let credentials = 0

/** One call to a deployment, with a credential of the customer's own. */
async function call(
  request: Partial<ChatRequest>,
  config: Record<string, unknown>,
  apiKey = 'sim-azure-key',
) {
  const asked = aChatCall({ model: atlas, ...request })
  const target = {
    vendor: 'vendor_a',
    baseUrl: 'https://api.openai.com/v1',
    apiKey,
    byokId: `own-${++credentials}`,
    config: { endpoint: `${simulator.url}/azure`, deployment: 'gpt-deployed', ...config },
  }
  const { answer, stream } = await callChat(upstreams, {
    attempts: [{ entry: asked.entry, target }],
    prepare: async () => asked,
    ended: () => {},
    line: new Line(),
  })
  const chunks: ChatChunk[] = []
  for (let read = await stream?.read(); read; read = await stream?.read()) chunks.push(...read)
  return { completion: answer?.completion, chunks, usage: answer?.usage ?? stream?.usage }
}

describe.each([
  ['the v1 surface', {}, '/azure/openai/v1/chat/completions'],
  [
    'the v1 surface, named',
    { api_version: 'preview' },
    '/azure/openai/v1/chat/completions?api-version=preview',
  ],
  [
    'the dated surface',
    { api_version: '2025-04-01-preview' },
    '/azure/openai/deployments/gpt-deployed/chat/completions?api-version=2025-04-01-preview',
  ],
])('a deployment on %s', (_where, config, path) => {
  test('answers, without what its filter found', async () => {
    const { completion, usage } = await call({}, config)
    expect(completion).toMatchObject({ model: atlas, choices: [{ finish_reason: 'stop' }] })
    expect(completion?.choices[0]?.message.content).toContain('gpt-deployed read "Hello"')
    expect(JSON.stringify(completion)).not.toContain('filter')
    expect(usage?.promptTokens).toBeGreaterThan(0)
    expect(simulator.calls.map(received => received.path)).toEqual([path])
    expect(simulator.calls[0]?.headers).toMatchObject({ 'api-key': 'sim-azure-key' })
    expect(simulator.calls[0]?.headers).not.toHaveProperty('authorization')
  })

  test('streams, and every chunk is one that a client can read', async () => {
    const { chunks, usage } = await call({ stream: true }, config)
    expect(chunks.every(chunk => chunk.id !== '' && chunk.model === atlas)).toBe(true)
    expect(chunks.flatMap(chunk => chunk.choices).every(choice => choice.delta)).toBe(true)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).toContain('read "Hello"')
    expect(JSON.stringify(chunks)).not.toContain('filter')
    expect(usage?.completionTokens).toBeGreaterThan(0)
  })

  test.each([
    ['refusal', { kind: 'request', details: { code: 'content_filter', status: 400 } }],
    ['429;ms=3000', { kind: 'busy', details: { retryAfterSeconds: 3 } }],
    ['503', { kind: 'busy', message: 'Service is temporarily unavailable.' }],
    ['500', { kind: 'broken' }],
  ])('tells trouble %s apart, although it may have no type', async (fault, failure) => {
    const messages = [{ role: 'user' as const, content: `Hi [[fault: ${fault}]]` }]
    await expect(call({ messages }, config)).rejects.toMatchObject(failure)
    await expect(call({ messages, stream: true }, config)).rejects.toMatchObject(failure)
  })

  test('that is gone, or whose key is wrong, is a refused credential', async () => {
    await expect(call({}, { ...config, deployment: 'missing-one' })).rejects.toMatchObject({
      kind: 'auth',
      details: { code: 'DeploymentNotFound' },
    })
    await expect(call({}, config, 'sim-bad')).rejects.toMatchObject({
      kind: 'auth',
      details: { status: 401 },
    })
  })

  test('that breaks in the middle is a failure', async () => {
    for (const fault of ['truncate;n=4', 'cut;n=4', 'error-frame;n=4']) {
      const messages = [{ role: 'user' as const, content: `say 20 words [[fault: ${fault}]]` }]
      await expect(call({ messages, stream: true }, config)).rejects.toMatchObject({ kind: 'broken' })
    }
  })
})

describe('an endpoint', () => {
  test('may be written with its path or without', async () => {
    for (const endpoint of ['/azure/', '/azure/openai', '/azure/openai/v1/']) {
      const { completion } = await call({}, { endpoint: simulator.url + endpoint })
      expect(completion?.choices).toHaveLength(1)
    }
  })

  test('names the model as the vendor does, where no deployment is given', async () => {
    const { completion } = await call({}, { deployment: undefined })
    expect(completion?.choices[0]?.message.content).toContain(
      `${aChatCall({ model: atlas }).entry.upstream.model} read`,
    )
  })

  test('that is not public is not reached', async () => {
    const closed = openUpstreams(aConfig({ ALLOW_LOOPBACK: 'false' }))
    const asked = aChatCall({ model: atlas })
    const target = {
      vendor: 'vendor_a',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sim-azure-key',
      byokId: 'own',
      config: { endpoint: `${simulator.url}/azure` },
    }
    const plan = {
      attempts: [{ entry: asked.entry, target }],
      prepare: async () => asked,
      ended: () => {},
      line: new Line(),
    }
    await expect(callChat(closed, plan)).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining('public'),
    })
    expect(simulator.calls).toEqual([])
    await closed.close()
  })
})
