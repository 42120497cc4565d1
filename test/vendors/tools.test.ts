import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { callBothWays, contentOf, theVendorsSystem } from './call-both-ways.ts'
import { chatModels } from './vendors.ts'

const system = theVendorsSystem()

type ChatMessage = OpenAI.ChatCompletionMessageParam
type Call = OpenAI.ChatCompletionMessageToolCall

const atlas = 'vendor_a/atlas'
const lyric = 'vendor_b/lyric'
const prism = 'vendor_c/prism-pro'
const flash = 'vendor_c/prism-flash'
const lite = 'vendor_c/prism-lite'

const city = { type: 'object', properties: { city: { type: 'string' } } }
const closed = { ...city, required: ['city'], additionalProperties: false }
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: closed, strict: true } },
  { type: 'function', function: { name: 'get_time', parameters: city } },
]
const question: ChatMessage[] = [
  { role: 'system', content: 'Use tools.' },
  { role: 'user', content: 'Weather and time, in parallel please' },
]

/** The fields of a call that a client keeps. */
type Kept = (call: Call, index: number) => Call

/** The history that a client sends back: what it keeps of the calls, and their results in another order. */
function historyAfter({ choices }: OpenAI.ChatCompletion, keep: Kept = call => call): ChatMessage[] {
  const tool_calls = (choices[0]?.message.tool_calls ?? []).map(keep)
  const results = resultsOf({ tool_calls }).reverse()
  return [...question, { role: 'assistant', content: null, tool_calls }, ...results]
}

function resultsOf({ tool_calls = [] }: { tool_calls?: Call[] }): ChatMessage[] {
  return tool_calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: `result ${index}` }))
}

/** The fields of a message that every client sends back. The SDK's helper adds more fields. */
function toMessage({ content, tool_calls }: OpenAI.ChatCompletionMessage): ChatMessage {
  return { role: 'assistant', content, ...(tool_calls && { tool_calls }) }
}

/** Both results, each once, in whatever order they came. */
function expectBothResults(answer: OpenAI.ChatCompletion): void {
  expect(contentOf(answer)).toMatch(/result \d.* and .*result \d/)
  expect((contentOf(answer).match(/result \d/g) ?? []).toSorted()).toEqual(['result 0', 'result 1'])
}

describe.each(chatModels)('%s', model => {
  test('calls in parallel, and is answered in any order', async () => {
    const client = await aClient(system)
    for (const reply of await callBothWays(client, { model, messages: question, tools })) {
      expect(reply.choices[0]?.finish_reason).toBe('tool_calls')
      const calls = reply.choices[0]?.message.tool_calls ?? []
      expect(calls).toMatchObject([{ function: { name: 'get_weather' } }, { function: { name: 'get_time' } }])
      for (const call of calls)
        expect(call.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
          city: expect.any(String),
        })
      const messages = historyAfter(reply)
      for (const answer of await callBothWays(client, { model, messages, tools })) expectBothResults(answer)
    }
  })

  test('reads of earlier calls where there are no tools any more', async () => {
    const client = await aClient(system)
    const [reply] = await callBothWays(client, { model, messages: question, tools })
    for (const answer of await callBothWays(client, { model, messages: historyAfter(reply) }))
      expect(contentOf(answer)).toContain('result 1')
  })

  test('calls a tool without arguments with {}, and only those that may be called', async () => {
    const client = await aClient(system)
    const now: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'now' } }
    const chosen = {
      tools: [...tools, now],
      tool_choice: { type: 'function' as const, function: now.function },
    }
    for (const reply of [{ tools: [now] }, chosen])
      for (const answer of await callBothWays(client, { ...saying('Time?', model), ...reply }))
        expect(answer.choices[0]?.message.tool_calls).toMatchObject([
          { function: { name: 'now', arguments: '{}' } },
        ])
    for (const answer of await callBothWays(client, { ...saying('?', model), tools, tool_choice: 'none' }))
      expect(answer.choices[0]?.finish_reason).toBe('stop')
  })
})

// vendor_a gets messages unchanged, and refuses unknown fields.
test.each([lyric, prism])('%s takes back a message with all that the SDK adds to it', async model => {
  const client = await aClient(system)
  for (const { choices } of await callBothWays(client, { model, messages: question, tools })) {
    const { message } = choices[0]!
    const messages = [...question, message, ...resultsOf(message)]
    for (const answer of await callBothWays(client, { model, messages, tools }))
      expect(contentOf(answer)).toContain('The tools answered')
  }
})

const onlyKnownFields: Kept = call => {
  if (call.type !== 'function') throw new Error('not a function')
  const { name, arguments: args } = call.function
  return { id: call.id, type: 'function', function: { name, arguments: args } }
}
const withIdsOfItsOwn: Kept = (call, index) => ({ ...call, id: `mine-${index}` })
const both: Kept = (call, index) => withIdsOfItsOwn(onlyKnownFields(call, index), index)
const unsigned = 'skip_thought_signature_validator'

test.each<[string, string, Kept, boolean]>([
  ['that keeps everything', prism, call => call, true],
  ['that drops the fields it does not know', prism, onlyKnownFields, true],
  ['that gives calls ids of its own', prism, withIdsOfItsOwn, true],
  ['that does both', prism, both, false],
  ['of a model that does not sign', lite, onlyKnownFields, false],
])('a call that its vendor signed comes back from a client %s', async (_what, model, keep, isSigned) => {
  const client = await aClient(system)
  for (const reply of await callBothWays(client, { model, messages: question, tools }))
    for (const answer of await callBothWays(client, { model, messages: historyAfter(reply, keep), tools })) {
      expect(contentOf(answer)).toMatch(/result 0.* and .*result 1/)
      const sent = JSON.stringify(system.simulator.calls.at(-1)?.body)
      expect(sent.includes('thoughtSignature')).toBe(model === prism)
      expect(sent.includes(unsigned)).toBe(model === prism && !isSigned)
    }
})

describe('a conversation goes on with another vendor', () => {
  test('at every turn, whole and streamed', async () => {
    const client = await aClient(system)

    const models = [atlas, prism, lyric, flash, atlas, lite, prism]
    for (const way of [0, 1] as const) {
      const messages: ChatMessage[] = [{ role: 'system', content: 'Use tools.' }]
      for (const model of models) {
        messages.push({ role: 'user', content: `Weather in parallel? I am at turn ${messages.length}` })
        const reply = (await callBothWays(client, { model, messages, tools }))[way]
        const { message } = reply.choices[0]!
        expect(message.tool_calls).toHaveLength(2)
        messages.push(toMessage(message), ...resultsOf(message))
        const answer = (await callBothWays(client, { model, messages, tools }))[way]
        expect(contentOf(answer)).toContain('The tools answered')
        messages.push(toMessage(answer.choices[0]!.message))
      }
    }
  })

  test('between a call and its result', async () => {
    const client = await aClient(system)
    const models = [atlas, prism, lyric, flash, lite]
    for (const from of models) {
      const [reply] = await callBothWays(client, { model: from, messages: question, tools })
      for (const model of models)
        for (const answer of await callBothWays(client, { model, messages: historyAfter(reply), tools }))
          expect(contentOf(answer)).toContain('The tools answered')
    }
  })
})
