import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: Anthropic

beforeAll(async () => {
  simulator = await startSimulator()
  client = new Anthropic({ baseURL: `${simulator.url}/anthropic`, apiKey: 'sim-platform-key', maxRetries: 0 })
})
afterAll(() => simulator.close())

type Params = Anthropic.MessageCreateParamsNonStreaming

const question: Params = { model: 'lyric-5', max_tokens: 200, messages: [{ role: 'user', content: 'Hello' }] }
const getWeather: Anthropic.Tool = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** The same question, whole and streamed: the vendor's own client puts the stream together. */
async function createBothWays(fields: Partial<Params>): Promise<[Anthropic.Message, Anthropic.Message]> {
  const params = { ...question, ...fields }
  const whole = await client.messages.create(params)
  const streamed = await client.messages.stream(params).finalMessage()
  return [whole, streamed]
}

async function eventsOf(fields: Partial<Params>) {
  const events: Anthropic.RawMessageStreamEvent[] = []
  const stream = await client.messages.create({ ...question, ...fields, stream: true })
  for await (const event of stream) events.push(event)
  return events
}

describe("the vendor's own client", () => {
  it('reads a text, whole and streamed alike', async () => {
    const [whole, streamed] = await createBothWays({ system: 'Be brief.' })
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'lyric-5',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: expect.stringContaining('read "Hello"') }],
    })
    expect(streamed.content).toEqual(whole.content)
    expect(streamed.usage).toMatchObject({
      input_tokens: whole.usage.input_tokens,
      output_tokens: whole.usage.output_tokens,
    })
  })

  it('reads calls of tools, several of them, and one without arguments', async () => {
    const noArguments: Anthropic.Tool = { name: 'now', input_schema: { type: 'object', properties: {} } }
    const [whole, streamed] = await createBothWays({
      tools: [getWeather, noArguments],
      messages: [{ role: 'user', content: 'Weather and time, in parallel please' }],
    })
    expect(whole.stop_reason).toBe('tool_use')
    expect(whole.content).toMatchObject([
      { type: 'tool_use', name: 'get_weather', input: { city: expect.any(String) } },
      { type: 'tool_use', name: 'now', input: {} },
    ])
    const named = (message: Anthropic.Message) =>
      message.content.map(block => block.type === 'tool_use' && [block.name, block.input])
    expect(named(streamed)).toEqual(named(whole))
  })

  it('answers with the results that it is given', async () => {
    const [whole] = await createBothWays({
      tools: [getWeather],
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get_weather', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'sunny' }] },
      ],
    })
    expect(whole.content).toMatchObject([{ text: expect.stringContaining('sunny') }])
  })

  it('keeps to a schema, thinks when given an effort, and stops where it must', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }
    const [json] = await createBothWays({
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    })
    const [thought, text] = json.content
    expect(thought).toMatchObject({ type: 'thinking', signature: expect.any(String) })
    expect(text?.type === 'text' && JSON.parse(text.text)).toEqual({ city: expect.any(String) })
    expect(json.usage.output_tokens_details?.thinking_tokens).toBe(32)
    const [cut, cutStream] = await createBothWays({ max_tokens: 2 })
    expect([cut.stop_reason, cutStream.stop_reason]).toEqual(['max_tokens', 'max_tokens'])
  })

  it('follows a system message that wants a JSON object', async () => {
    const [whole] = await createBothWays({ system: 'Answer with one JSON object and nothing else.' })
    const [text] = whole.content
    expect(text?.type === 'text' && JSON.parse(text.text)).toEqual(expect.any(Object))
  })

  it('sees a stream of named events with a ping, and the output counted at its end', async () => {
    const events = await eventsOf({})
    expect(events.map(event => event.type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const [start] = events
    expect(start?.type === 'message_start' && start.message.usage.output_tokens).toBe(1)
    const raw = await fetch(`${simulator.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': 'sim-platform-key',
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...question, stream: true }),
    })
    expect(raw.headers.get('request-id')).toMatch(/^req_/)
    expect(await raw.text()).toMatch(/^event: message_start\ndata: .*\n\nevent: ping\n/)
  })
})

describe('the prompt cache', () => {
  const system = (text: string): Anthropic.TextBlockParam[] => [
    { type: 'text', text, cache_control: { type: 'ephemeral' } },
  ]
  const long = 'Know this by heart. '.repeat(400)

  async function create(session: string, fields: Partial<Params>, key = 'sim-platform-key') {
    const caller = client.withOptions({ apiKey: key })
    const params = { ...question, ...fields }
    const { usage } = await caller.messages.create(params, { headers: { 'session-id': session } })
    return {
      input: usage.input_tokens,
      created: usage.cache_creation_input_tokens,
      read: usage.cache_read_input_tokens,
    }
  }

  it('writes up to the breakpoint, then reads it, however the rest differs', async () => {
    simulator.reset()
    const first = await create('a', { system: system(long) })
    expect(first).toMatchObject({ created: 2003, read: 0 })
    expect(first.input).toBeLessThan(20)
    const second = await create('a', {
      system: system(long),
      messages: [{ role: 'user', content: 'Another one' }],
    })
    expect(second).toMatchObject({ created: 0, read: 2003 })
  })

  it('shares nothing between sessions, credentials and models', async () => {
    simulator.reset()
    await create('a', { system: system(long) })
    for (const other of [
      await create('b', { system: system(long) }),
      await create('a', { system: system(long) }, 'sim-other-key'),
      await create('a', { system: system(long), model: 'lyric-6' }),
      await create('a', { system: system(`X${long}`) }),
    ]) {
      expect(other.read).toBe(0)
    }
    expect(await create('a', { system: system(long) })).toMatchObject({ created: 0 })
  })

  it('leaves alone what is unmarked, or too short for the model', async () => {
    simulator.reset()
    for (const fields of [
      { system: long },
      { system: system('Short.') },
      { system: system(long), model: 'lyric-grand-5' },
    ]) {
      await create('a', fields)
      expect(await create('a', fields)).toMatchObject({ created: 0, read: 0 })
    }
  })

  it('grows with a conversation whose end is marked', async () => {
    simulator.reset()
    const cache_control = { type: 'ephemeral' } as const
    const begun = [{ role: 'user' as const, content: long }]
    const first = await create('a', { messages: begun, cache_control })
    const second = await create('a', {
      messages: [
        ...begun,
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: 'And this? '.repeat(50) },
      ],
      cache_control,
    })
    expect(second.read).toBe(first.created)
    expect(second.created).toBeGreaterThan(100)
  })
})
