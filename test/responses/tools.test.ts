import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { logsOf } from '../harness/invariants.ts'
import { expectOrder, readEvents } from './read-events.ts'

const model = 'vendor_a/atlas'

const system = theEdgeSystem()

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { type: 'function' as const, name: 'weather', parameters, strict: false }
const question = { role: 'user' as const, content: 'The weather, in parallel?' }

test.each([false, true])(
  'a loop that sends calls and outputs back, in any order (streamed: %s)',
  async streamed => {
    const { openai } = await aClient(system)
    const input: OpenAI.Responses.ResponseInput = [question]
    const respond = (): Promise<OpenAI.Responses.Response> => {
      const request = { model, input, tools: [weather] }
      return streamed ? openai.responses.stream(request).finalResponse() : openai.responses.create(request)
    }
    const { output } = await respond()
    const calls = output.filter(isCall)
    expect(calls).toHaveLength(2)
    for (const { arguments: text } of calls) expect(JSON.parse(text)).toEqual({ city: expect.any(String) })
    const outputs = calls.map(({ call_id }, index) => ({
      type: 'function_call_output' as const,
      call_id,
      output: `sky ${index}`,
    }))
    input.push(...calls, ...outputs.reverse())
    expect((await respond()).output_text).toContain('sky 0 and sky 1')
  },
)

test.each([model, 'vendor_b/lyric', 'vendor_c/prism-pro'])(
  '%s sees the image that a function gave out, and a bad one is named where it stands',
  async name => {
    const { openai } = await aClient(system)
    const turns = (image_url: string): OpenAI.Responses.ResponseInput => [
      { role: 'user', content: 'Describe the screen.' },
      { type: 'function_call', call_id: 'call_1', name: 'screenshot', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'a window' },
          { type: 'input_image', image_url },
        ],
      },
    ]
    await openai.responses.create({ model: name, input: turns('data:image/png;base64,iVBORw0KGgo=') })
    expect(JSON.stringify(system.simulator.calls.at(-1)?.body)).toContain('iVBORw0KGgo=')
    const refused = openai.responses.create({ model: name, input: turns('data:image/svg+xml,a') })
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'input[2].output[1].image_url' })
  },
)

test('as Codex sends them: namespaces are restored, tools that run at OpenAI are dropped', async () => {
  const client = await aClient(system)
  const agents = {
    type: 'namespace',
    name: 'agents',
    description: 'Helpers',
    tools: [{ type: 'function', name: 'spawn', strict: false, parameters }],
  }
  const request = {
    model,
    input: [
      { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'Rules' }] },
      {
        type: 'message',
        id: 'msg_2',
        role: 'user',
        content: [{ type: 'input_text', text: 'Go in parallel' }],
      },
    ],
    tools: [
      weather,
      agents,
      { type: 'web_search', external_web_access: false },
      { type: 'custom', name: 'patch' },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
    prompt_cache_key: 'thread',
    client_metadata: { origin: 'cli' },
    stream: true,
  }
  const first = expectOrder(readEvents(await (await client.post('/responses', request)).text()))
  expect(first.output).toMatchObject([
    { name: 'weather' },
    { name: 'spawn', namespace: 'agents' },
    { type: 'custom_tool_call', name: 'patch' },
  ])
  expect(first.tools.map(tool => tool.type)).toEqual(['function', 'namespace', 'custom'])

  const outputs = first.output.map(item => ({
    type: 'function_call_output',
    id: 'fco_1',
    call_id: 'call_id' in item ? item.call_id : '',
    output: 'done',
  }))
  const next = { ...request, input: [...request.input, ...first.output, ...outputs] }
  const second = expectOrder(readEvents(await (await client.post('/responses', next)).text()))
  expect(second.output).toMatchObject([{ type: 'message', content: [{ type: 'output_text' }] }])
  const sent = JSON.stringify(system.simulator.calls.at(-1)?.body)
  expect(sent).toContain('"name":"agents__spawn","arguments"')
  expect(sent).not.toMatch(/web_search|client_metadata|encrypted/)
})

test('a client that disconnects after a call is charged once, exactly', async () => {
  const client = await aClient(system)
  const disconnect = new AbortController()
  const request = { model, input: [question], tools: [weather], stream: true }
  const response = await client.post('/responses', request, {}, disconnect.signal)
  let received = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    received += part
    if (received.includes('"type":"function_call"')) break
  }
  disconnect.abort()
  const [log, ...more] = await logsOf(system, client)
  expect(log).toMatchObject({ status: 200, error_code: null, usage_estimated: false })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  expect(more).toEqual([])
})

function isCall(
  item: OpenAI.Responses.ResponseOutputItem,
): item is OpenAI.Responses.ResponseFunctionToolCall {
  return item.type === 'function_call'
}
