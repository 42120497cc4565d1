import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: OpenAI

beforeAll(async () => {
  simulator = await startSimulator()
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: 'sim-platform-key', maxRetries: 0 })
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

interface FaultyCall {
  fault: string
  signal?: AbortSignal
}

/** Sends the marker in the model's name, as it passes through any gateway. */
function complete({ fault, signal }: FaultyCall) {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say 10 words' }]
  return client.chat.completions.create({ model: `gpt-sim@${fault}`, messages }, { signal })
}

/** What of a stream arrived: its chunks, and the error that ended it, if one did. */
async function watch({ fault, signal }: FaultyCall) {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  const model = `gpt-sim@${fault}`
  const stream = await client.chat.completions.create(
    {
      model,
      messages: [{ role: 'user', content: 'Say 10 words' }],
      stream: true,
      stream_options: { include_usage: true },
    },
    { signal },
  )
  try {
    for await (const chunk of stream) chunks.push(chunk)
    return { chunks, error: undefined }
  } catch (error) {
    return { chunks, error }
  }
}

/** A stream's bytes, as its own reads brought them. */
async function readRaw(fault: string, fields: Record<string, unknown> = { stream: true }) {
  const response = await fetch(`${simulator.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sim-platform-key', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-sim',
      messages: [{ role: 'user', content: `Hi [[fault: ${fault}]]` }],
      ...fields,
    }),
  })
  const reads: Uint8Array[] = []
  for await (const bytes of response.body ?? []) reads.push(bytes)
  return { response, reads, text: Buffer.concat(reads).toString() }
}

async function measure<Result>(act: () => Promise<Result>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

describe('before the first byte', () => {
  it('slow waits', async () => {
    expect(await measure(() => complete({ fault: 'slow;ms=150' }))).toBeGreaterThanOrEqual(145)
  })

  it('hang never answers, and the leaving client is noted', async () => {
    await expect(complete({ fault: 'hang', signal: AbortSignal.timeout(100) })).rejects.toBeInstanceOf(
      OpenAI.APIUserAbortError,
    )
    await expect
      .poll(() => simulator.calls.at(-1))
      .toMatchObject({ aborted: true, finished: false, status: null })
  })

  it.each([400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504, 529])('%i is answered', async status => {
    await expect(complete({ fault: String(status) })).rejects.toMatchObject({
      status,
      type: expect.any(String),
    })
    await expect(watch({ fault: String(status) })).rejects.toMatchObject({ status })
  })

  it('429 says when to come back', async () => {
    const refused = complete({ fault: '429;ms=1500' })
    await expect(refused).rejects.toMatchObject({ code: 'rate_limit_exceeded', type: 'requests' })
    const { headers }: { headers: Headers } = await refused.catch(error => error)
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['2', '1500'])
  })

  it('quota is the 429 that no wait mends', async () => {
    await expect(complete({ fault: 'quota' })).rejects.toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    })
  })

  it('too-long is the prompt that no model takes', async () => {
    await expect(complete({ fault: 'too-long' })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
  })

  it('flaky fails so many times, then answers for good', async () => {
    for (const status of [503, 503])
      await expect(complete({ fault: 'flaky;n=2;status=503' })).rejects.toMatchObject({ status })
    for (const _ of [1, 2])
      expect(await complete({ fault: 'flaky;n=2;status=503' })).toHaveProperty('choices.length', 1)
  })

  it('flaky counts by its key where it has one', async () => {
    await expect(complete({ fault: 'flaky;key=a' })).rejects.toMatchObject({ status: 500 })
    await expect(complete({ fault: 'flaky;key=b' })).rejects.toMatchObject({ status: 500 })
    await expect(complete({ fault: 'flaky;key=a;n=1' })).resolves.toHaveProperty('id')
  })
})

describe('in the answer', () => {
  it('cut breaks the connection after n chunks, or half-way through a whole body', async () => {
    const { chunks, error } = await watch({ fault: 'cut;n=3' })
    expect(chunks).toHaveLength(3)
    expect(error).toBeInstanceOf(Error)
    await expect(complete({ fault: 'cut' })).rejects.toBeInstanceOf(Error)
    await expect
      .poll(() => simulator.calls.map(({ cut, aborted }) => ({ cut, aborted })))
      .toEqual([
        { cut: true, aborted: false },
        { cut: true, aborted: false },
      ])
  })

  it('truncate ends cleanly, without a finish_reason or [DONE]', async () => {
    const { text } = await readRaw('truncate;n=3')
    expect(text.split('\n\n')).toHaveLength(4)
    expect(text).not.toMatch(/\[DONE\]|"finish_reason":"/)
  })

  it('stall keeps silent after n chunks, with the connection open', async () => {
    const { chunks, error } = await watch({ fault: 'stall;n=2', signal: AbortSignal.timeout(150) })
    expect(chunks).toHaveLength(2)
    expect(error).toBeUndefined()
    await expect.poll(() => simulator.calls.at(-1)).toMatchObject({ aborted: true, frames: 2 })
  })

  it('garbage does not parse', async () => {
    const { chunks, error } = await watch({ fault: 'garbage;n=3' })
    expect(chunks).toHaveLength(3)
    expect(error).toBeInstanceOf(SyntaxError)
    await expect(complete({ fault: 'garbage' })).rejects.toThrow()
    const { text } = await readRaw('garbage;n=3')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('error-frame fails in the middle, or under status 200', async () => {
    const { chunks, error } = await watch({ fault: 'error-frame;n=3' })
    expect(chunks).toHaveLength(3)
    expect(error).toMatchObject({ type: 'server_error' })
    const { response, text } = await readRaw('error-frame', {})
    expect(response.status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error' } })
    expect((await readRaw('error-frame')).text).not.toContain('[DONE]')
  })

  it('trickle takes its time between chunks, and over a whole body', async () => {
    const waits = 13 // 14 chunks: role, ten words, finish, usage, [DONE]
    expect(await measure(() => watch({ fault: 'trickle;ms=15' }))).toBeGreaterThan(waits * 14)
    expect(await measure(() => complete({ fault: 'trickle;ms=20' }))).toBeGreaterThan(7 * 19)
  })

  it('split tears frames and characters apart, yet loses nothing', async () => {
    const fields = { stream: true, messages: [{ role: 'user', content: 'Grüße 🙂 [[fault: split;n=3]]' }] }
    const { reads, text } = await readRaw('split', fields)
    expect(reads.length).toBeGreaterThan(text.length / 6)
    expect(text).toContain('🙂')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('no-usage leaves the usage out', async () => {
    expect(await complete({ fault: 'no-usage' })).not.toHaveProperty('usage')
    const { chunks } = await watch({ fault: 'no-usage' })
    expect(chunks.some(chunk => chunk.usage)).toBe(false)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('empty has no choices, blank has one that says nothing', async () => {
    expect((await complete({ fault: 'empty' })).choices).toEqual([])
    expect((await watch({ fault: 'empty' })).chunks.map(chunk => chunk.choices)).toEqual([[]])
    expect(await complete({ fault: 'blank' })).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: '' } }],
      usage: { completion_tokens: 0 },
    })
    const { chunks } = await watch({ fault: 'blank' })
    expect(chunks.map(chunk => chunk.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      {},
      undefined,
    ])
  })
})

describe('a marker', () => {
  it('works in a header and in the last message, which the answer does not repeat', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'Hello [[fault: blank]]' },
    ]
    const inMessage = await client.chat.completions.create({ model: 'gpt-sim', messages })
    expect(inMessage.choices[0]?.message.content).toBe('')
    const inHeader = client.chat.completions.create(
      { model: 'gpt-sim', messages },
      { headers: { 'x-sim-fault': '503' } },
    )
    await expect(inHeader).rejects.toMatchObject({ status: 503 })
    const slow = await client.chat.completions.create({
      model: 'gpt-sim',
      messages: [{ role: 'user', content: 'Hello [[fault: slow;ms=1]]' }],
    })
    expect(slow.choices[0]?.message.content).toContain('"Hello"')
  })

  it('that is misspelt is refused', async () => {
    expect((await readRaw('slwo')).response.status).toBe(400)
  })
})
