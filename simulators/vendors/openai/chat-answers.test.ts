import { Ajv2020 } from 'ajv/dist/2020.js'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { countTokens } from '../model/text.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

const now = 1_790_000_000_000
let simulator: RunningSimulator
let client: OpenAI

beforeAll(async () => {
  simulator = await startSimulator({ clock: { ...systemClock, now: () => now } })
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: 'sim-platform-key', maxRetries: 0 })
})
afterAll(() => simulator.close())

const hello: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'gpt-sim',
  messages: [{ role: 'user', content: 'Hello there' }],
}

async function answer(params: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> & { say?: string }) {
  const { say = 'Hello there', ...others } = params
  return client.chat.completions.create({
    model: 'gpt-sim',
    messages: [{ role: 'user', content: say }],
    ...others,
  })
}

async function stream(params: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {}) {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await client.chat.completions.create({ ...hello, ...params, stream: true }))
    chunks.push(chunk)
  return chunks
}

describe('a whole answer', () => {
  it('is a complete chat.completion', async () => {
    expect(await answer({})).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-z]{29}$/),
      object: 'chat.completion',
      created: now / 1000,
      model: 'gpt-sim',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: expect.stringContaining('Hello there'),
            refusal: null,
            annotations: [],
          },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: countTokens('user: Hello there\n'),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: 'default',
      system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
    })
  })

  it('is the same for the same request, under another id', async () => {
    const [one, other] = [await answer({}), await answer({})]
    expect(one.choices).toEqual(other.choices)
    expect(one.id).not.toBe(other.id)
  })

  it('differs by model, by seed and by what was said', async () => {
    const answers = [
      answer({}),
      answer({ model: 'gpt-sim-mini' }),
      answer({ seed: 4 }),
      answer({ say: 'Bye' }),
    ]
    const texts = (await Promise.all(answers)).map(({ choices }) => choices[0]?.message.content)
    expect(new Set(texts).size).toBe(4)
  })

  it('counts what it says', async () => {
    const { choices, usage } = await answer({ say: 'Say 50 words' })
    const text = choices[0]?.message.content ?? ''
    expect(text.split(' ')).toHaveLength(50)
    expect(usage?.completion_tokens).toBe(countTokens(text))
    expect(usage?.total_tokens).toBe(countTokens(text) + countTokens('user: Say 50 words\n'))
  })

  it('has the length that the model name sets', async () => {
    const { choices } = await answer({ model: 'gpt-sim-7w' })
    expect(choices[0]?.message.content?.split(' ')).toHaveLength(7)
  })

  it('ends at max_tokens and at max_completion_tokens', async () => {
    for (const limit of [{ max_tokens: 5 }, { max_completion_tokens: 5 }]) {
      const { choices, usage } = await answer({ say: 'say 50 words', ...limit })
      expect(choices[0]?.finish_reason).toBe('length')
      expect(usage?.completion_tokens).toBe(5)
    }
  })

  it('ends before the stop sequence that comes first', async () => {
    const { choices } = await answer({ stop: ['nothing like it', ':', 'there'] })
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'gpt-sim read "Hello ' } })
  })

  it('gives n choices and counts them all', async () => {
    const { choices, usage } = await answer({ n: 3 })
    const texts = choices.map(choice => choice.message.content ?? '')
    expect(choices.map(choice => choice.index)).toEqual([0, 1, 2])
    expect(new Set(texts).size).toBe(3)
    expect(usage?.completion_tokens).toBe(texts.reduce((sum, text) => sum + countTokens(text), 0))
  })

  it('counts an image as 256 tokens, whatever its size', async () => {
    const complete = (url: string) =>
      answer({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      })
    const [small, large] = await Promise.all([
      complete('https://example.com/a.png'),
      complete(`data:image/png;base64,${'A'.repeat(100_000)}`),
    ])
    expect(small.usage?.prompt_tokens).toBe(256 + Math.ceil('user: See\n'.length / 4))
    expect(large.usage?.prompt_tokens).toBe(small.usage?.prompt_tokens)
    expect(small.choices[0]?.message.content).toContain('1 attached')
  })

  it('spends tokens on reasoning first, and may have none left to answer', async () => {
    const { choices, usage } = await answer({
      model: 'reasoning-sim',
      reasoning_effort: 'low',
      max_completion_tokens: 20,
    })
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } })
    expect(usage).toMatchObject({
      completion_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 20 },
    })
    const unlimited = await answer({ model: 'reasoning-sim', reasoning_effort: 'low' })
    expect(unlimited.usage?.completion_tokens_details?.reasoning_tokens).toBe(32)
    expect(unlimited.choices[0]?.message.content).toContain('Hello there')
  })

  it('shows logprobs of every token where they are requested', async () => {
    const { choices } = await answer({ logprobs: true, top_logprobs: 2 })
    const tokens = choices[0]?.logprobs?.content ?? []
    expect(tokens.map(({ token }) => token).join('')).toBe(choices[0]?.message.content)
    expect(tokens[0]?.top_logprobs).toHaveLength(2)
  })

  it('says JSON that fits the schema it was given', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 },
      },
      required: ['name', 'tags'],
      additionalProperties: false,
    }
    const { choices } = await answer({
      response_format: { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema } },
    })
    expect(new Ajv2020().validate(schema, JSON.parse(choices[0]?.message.content ?? ''))).toBe(true)
  })

  it('says some JSON object in JSON mode', async () => {
    const { choices } = await answer({ say: 'Answer in JSON', response_format: { type: 'json_object' } })
    expect(JSON.parse(choices[0]?.message.content ?? '')).toBeTypeOf('object')
  })
})

describe('a streamed answer', () => {
  it('says the same as the whole one, in the chunks of the vendor', async () => {
    const whole = await answer({})
    const chunks = await stream({ stream_options: { include_usage: true } })
    const choices = chunks.map(chunk => chunk.choices[0])
    expect(choices[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    })
    expect(choices.map(choice => choice?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content,
    )
    expect(choices.at(-2)).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' })
    expect(new Set(chunks.map(chunk => chunk.id)).size).toBe(1)
    expect(chunks.slice(0, -1).map(chunk => chunk.usage)).toEqual(chunks.slice(0, -1).map(() => null))
    expect(chunks.at(-1)).toMatchObject({ object: 'chat.completion.chunk', choices: [], usage: whole.usage })
  })

  it('has no usage unless requested, and padding unless declined', async () => {
    const plain = await stream()
    expect(plain.every(chunk => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true)
    expect(plain.every(chunk => typeof chunk.obfuscation === 'string')).toBe(true)
    const bare = await stream({ stream_options: { include_obfuscation: false } })
    expect(bare.some(chunk => 'obfuscation' in chunk)).toBe(false)
  })

  it('ends with [DONE], as text/event-stream', async () => {
    const response = await fetch(`${simulator.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sim-platform-key', 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const frames = (await response.text()).split('\n\n')
    expect(frames.slice(-2)).toEqual(['data: [DONE]', ''])
    expect(frames.slice(0, -1).every(frame => frame.startsWith('data: '))).toBe(true)
  })

  it('takes turns among n choices, each complete', async () => {
    const whole = await answer({ n: 2 })
    const chunks = await stream({ n: 2 })
    expect(chunks.slice(0, 4).map(chunk => chunk.choices[0]?.index)).toEqual([0, 1, 0, 1])
    for (const index of [0, 1]) {
      const deltas = chunks.flatMap(chunk => chunk.choices.filter(choice => choice.index === index))
      expect(deltas.map(choice => choice.delta.content ?? '').join('')).toBe(
        whole.choices[index]?.message.content,
      )
      expect(deltas.at(-1)?.finish_reason).toBe('stop')
    }
  })

  it('satisfies the official helper', async () => {
    const whole = await answer({ say: 'say 30 words' })
    const helper = client.chat.completions.stream({
      model: 'gpt-sim',
      messages: [{ role: 'user', content: 'say 30 words' }],
    })
    expect((await helper.finalChatCompletion()).choices[0]?.message.content).toBe(
      whole.choices[0]?.message.content,
    )
  })
})

describe('models', () => {
  it('are listed, and each is known', async () => {
    const ids = (await client.models.list()).data.map(model => model.id)
    expect(ids).toContain('gpt-sim')
    expect(await client.models.retrieve('any-name')).toMatchObject({ id: 'any-name', object: 'model' })
    await expect(client.models.retrieve('missing-one')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })
})
