import OpenAI, { AzureOpenAI } from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

/** The vendor's own clients on both surfaces. */
const surfaces: [name: string, open: (apiKey?: string) => OpenAI][] = [
  [
    'dated',
    (apiKey = 'sim-azure-key') =>
      new AzureOpenAI({
        endpoint: `${simulator.url}/azure`,
        apiKey,
        apiVersion: '2024-10-21',
        maxRetries: 0,
      }),
  ],
  [
    'v1',
    (apiKey = 'sim-azure-key') =>
      new OpenAI({
        baseURL: `${simulator.url}/azure/openai/v1`,
        apiKey: 'unused',
        defaultHeaders: { 'api-key': apiKey, authorization: null },
        maxRetries: 0,
      }),
  ],
]

const saying = (content: string, model = 'gpt-deployed') => ({
  model,
  messages: [{ role: 'user' as const, content }],
})

describe.each(surfaces)('the %s surface', (_name, open) => {
  it('answers with what its filter found', async () => {
    const completion = await open().chat.completions.create(saying('Hello there'))
    expect(completion.choices[0]?.message.content).toContain('gpt-deployed read "Hello there"')
    expect(completion).toHaveProperty('prompt_filter_results.0.prompt_index', 0)
    expect(completion.choices[0]).toHaveProperty('content_filter_results.hate.filtered', false)
  })

  it('streams it: before the first choice, in every choice, and behind the last', async () => {
    const stream = await open().chat.completions.create({
      ...saying('say 3 words'),
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks[0]).toMatchObject({
      id: '',
      model: '',
      choices: [],
      prompt_filter_results: expect.anything(),
    })
    expect(chunks[1]?.choices[0]).toHaveProperty('content_filter_results')
    expect(chunks.at(-1)?.choices[0]).toHaveProperty('content_filter_offsets')
    expect(chunks.at(-1)?.choices[0]).not.toHaveProperty('delta')
    expect(chunks.at(-2)?.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('refuses in shapes of its own', async () => {
    const refusedWith = (content: string, model?: string, apiKey?: string) =>
      open(apiKey)
        .chat.completions.create(saying(content, model))
        .catch(error => error)
    expect(await refusedWith('Hi', 'missing-deployment')).toMatchObject({
      status: 404,
      code: 'DeploymentNotFound',
    })
    expect(await refusedWith('Hi [[fault: refusal]]')).toMatchObject({ status: 400, code: 'content_filter' })
    expect(await refusedWith('Hi [[fault: 429;ms=3000]]')).toMatchObject({ status: 429, code: '429' })
    expect(await refusedWith('Hi', undefined, 'sim-bad')).toMatchObject({ status: 401 })
    expect((await refusedWith('Hi [[fault: 503]]')).message).toContain('503')
  })
})

describe('the dated surface', () => {
  it('requires a version, and looks at the deployment in its path alone', async () => {
    const send = (query: string) =>
      fetch(`${simulator.url}/azure/openai/deployments/mine/chat/completions${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': 'sim-k' },
        body: JSON.stringify(saying('Hello', 'other')),
      })
    expect((await send('')).status).toBe(404)
    expect((await send('?api-version=v1')).status).toBe(404)
    expect(await (await send('?api-version=2025-04-01-preview')).text()).toContain('mine read')
  })
})
