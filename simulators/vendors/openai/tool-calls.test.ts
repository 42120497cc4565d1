import { Ajv2020 } from 'ajv/dist/2020.js'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: OpenAI

beforeAll(async () => {
  simulator = await startSimulator()
  client = new OpenAI({ baseURL: `${simulator.url}/openai/v1`, apiKey: 'sim-platform-key', maxRetries: 0 })
})
afterAll(() => simulator.close())

const place = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
}
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', strict: true, parameters: place } },
  { type: 'function', function: { name: 'get_time' } },
]

function complete(
  params: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
  say = 'How is the weather?',
) {
  return client.chat.completions.create({
    model: 'gpt-sim',
    messages: [{ role: 'user', content: say }],
    tools,
    ...params,
  })
}

function functionCalls({ choices }: OpenAI.ChatCompletion) {
  return (choices[0]?.message.tool_calls ?? []).flatMap(call =>
    call.type === 'function' ? call.function : [],
  )
}

describe('a model with tools', () => {
  it('calls the first one, with arguments that fit its schema', async () => {
    const completion = await complete()
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    expect(completion.choices[0]?.message.tool_calls?.[0]?.id).toMatch(/^call_[0-9a-z]{22}$/)
    const [call, ...others] = functionCalls(completion)
    expect(others).toEqual([])
    expect(call?.name).toBe('get_weather')
    expect(new Ajv2020().validate(place, JSON.parse(call?.arguments ?? ''))).toBe(true)
  })

  it('calls the one that is chosen or allowed, and none when forbidden', async () => {
    const chosen = await complete({ tool_choice: { type: 'function', function: { name: 'get_time' } } })
    expect(functionCalls(chosen)).toEqual([{ name: 'get_time', arguments: '{}' }])
    const allowed = await complete({
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_time' } }] },
      },
    })
    expect(functionCalls(allowed).map(call => call.name)).toEqual(['get_time'])
    const forbidden = await complete({ tool_choice: 'none' })
    expect(forbidden.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.any(String) },
    })
  })

  it('calls several in parallel where the user says so and the request allows it', async () => {
    const say = 'Find both in parallel'
    const calls = functionCalls(await complete({}, say))
    expect(calls.map(call => call.name)).toEqual(['get_weather', 'get_time'])
    const twice = functionCalls(await complete({ tools: tools.slice(0, 1) }, say))
    expect(twice.map(call => call.name)).toEqual(['get_weather', 'get_weather'])
    expect(twice[0]?.arguments).not.toBe(twice[1]?.arguments)
    expect(functionCalls(await complete({ parallel_tool_calls: false }, say))).toHaveLength(1)
  })

  it('answers in text with what the tools said', async () => {
    const { choices } = await complete({}, 'Find both in parallel')
    const [message] = choices.map(choice => choice.message)
    const results = (message?.tool_calls ?? []).map(
      (call, index): OpenAI.ChatCompletionToolMessageParam => ({
        role: 'tool',
        tool_call_id: call.id,
        content: `result number ${index}`,
      }),
    )
    const user: OpenAI.ChatCompletionUserMessageParam = { role: 'user', content: 'Find both in parallel' }
    const last = await complete({ messages: [user, ...(message ? [message] : []), ...results] })
    expect(last.choices[0]?.finish_reason).toBe('stop')
    expect(last.choices[0]?.message.content).toContain('result number 0 and result number 1')
  })

  it('streams the same calls: the name first, then slices of the arguments, each with its index', async () => {
    const say = 'Find both in parallel'
    const whole = functionCalls(await complete({}, say))
    const chunks: OpenAI.ChatCompletionChunk[] = []
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: say }]
    const answer = await client.chat.completions.create({ model: 'gpt-sim', messages, tools, stream: true })
    for await (const chunk of answer) chunks.push(chunk)
    const fragments = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
    for (const [index, call] of whole.entries()) {
      const [first, ...rest] = fragments.filter(fragment => fragment.index === index)
      expect(first).toMatchObject({
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name: call.name, arguments: '' },
      })
      expect(rest.every(fragment => fragment.id === undefined)).toBe(true)
      expect(rest.map(fragment => fragment.function?.arguments ?? '').join('')).toBe(call.arguments)
    }
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('loses the end of its arguments at the token limit', async () => {
    const completion = await complete({ max_tokens: 5 })
    expect(completion.choices[0]?.finish_reason).toBe('length')
    expect(functionCalls(completion)[0]?.arguments).toHaveLength(8)
    expect(completion.usage?.completion_tokens).toBe(5)
  })

  it('drives the official tool loop to its end', async () => {
    const runner = client.chat.completions.runTools({
      model: 'gpt-sim',
      messages: [{ role: 'user', content: 'How is the weather?' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            parameters: place,
            description: 'The weather of a city',
            function: () => 'sunny, 21 degrees',
          },
        },
      ],
    })
    expect(await runner.finalContent()).toContain('sunny, 21 degrees')
  })
})

describe('functions, the older form of tools', () => {
  const functions = [{ name: 'get_weather', parameters: place }, { name: 'get_time' }]
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather?' }]

  it('are called one at a time, and answered in text after their result', async () => {
    const called = await client.chat.completions.create({ model: 'gpt-sim', messages, functions })
    const [choice] = called.choices
    expect(choice).toMatchObject({
      finish_reason: 'function_call',
      message: { content: null, function_call: { name: 'get_weather' } },
    })
    expect(choice?.message).not.toHaveProperty('tool_calls')
    const result = { role: 'function' as const, name: 'get_weather', content: 'sunny' }
    const answered = await client.chat.completions.create({
      model: 'gpt-sim',
      messages: [...messages, { role: 'assistant', function_call: choice?.message.function_call }, result],
      functions,
    })
    expect(answered.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(answered.choices[0]?.message.content).toContain('sunny')
  })

  it('are called by name, not at all, and in a stream', async () => {
    const named = { functions, function_call: { name: 'get_time' } }
    const stream = await client.chat.completions.create({
      model: 'gpt-sim',
      messages,
      ...named,
      stream: true,
    })
    let call = ''
    for await (const { choices } of stream) {
      const { name = '', arguments: text = '' } = choices[0]?.delta.function_call ?? {}
      call += name + text
    }
    expect(call).toBe('get_time{}')
    const none = await client.chat.completions.create({
      model: 'gpt-sim',
      messages,
      functions,
      function_call: 'none',
    })
    expect(none.choices[0]).toMatchObject({ finish_reason: 'stop' })
  })
})
