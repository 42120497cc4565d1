import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { chatModels } from '../clients/chat-models.ts'
import { theCustomer } from '../clients/the-customer.ts'
import { expectOrder, readEvents } from './read-events.ts'

const { system, client } = theCustomer()

type Tool = OpenAI.Responses.Tool
type Input = OpenAI.Responses.ResponseInput

const number = expect.toBeOneOf([null, expect.any(Number)])
const anyText = expect.any(String)
const string = expect.toBeOneOf([null, anyText])
const idOf = (prefix: string) => expect.stringMatching(`^${prefix}_`)

/** A tool that the client runs, the expected call of it, and the output that the client sends back. */
const kinds: [string, Tool, object, (call_id: string) => Input[number]][] = [
  [
    'custom',
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    { type: 'custom_tool_call', id: idOf('ctc'), name: 'patch', input: expect.stringMatching(/./) },
    call_id => ({ type: 'custom_tool_call_output', call_id, output: 'result seven' }),
  ],
  [
    'local_shell',
    { type: 'local_shell' },
    {
      type: 'local_shell_call',
      id: idOf('lsh'),
      action: {
        ...{ type: 'exec', command: [expect.any(String)], env: expect.any(Object) },
        ...{ timeout_ms: number, user: string, working_directory: string },
      },
    },
    call_id => ({ type: 'local_shell_call_output', id: call_id, output: 'result seven' }),
  ],
  [
    'shell',
    { type: 'shell', environment: { type: 'local' } },
    {
      type: 'shell_call',
      id: idOf('sh'),
      action: { commands: [expect.any(String)], timeout_ms: number, max_output_length: number },
      environment: { type: 'local' },
    },
    call_id => ({
      type: 'shell_call_output',
      call_id,
      output: [{ stdout: 'result seven', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    }),
  ],
  [
    'apply_patch',
    { type: 'apply_patch' },
    {
      type: 'apply_patch_call',
      id: idOf('apc'),
      operation: expect.toBeOneOf([
        { type: expect.stringMatching(/^(create|update)_file$/), path: anyText, diff: anyText },
        { type: 'delete_file', path: anyText },
      ]),
    },
    call_id => ({ type: 'apply_patch_call_output', call_id, status: 'completed', output: 'result seven' }),
  ],
]
const ways = chatModels.flatMap(model =>
  kinds.flatMap(kind => [[model, 'whole', ...kind] as const, [model, 'streamed', ...kind] as const]),
)

test.each(ways)('%s, %s: a tool that is no function (%s) comes back as what it was', async (...way) => {
  const [model, how, kind, tool, expected, answerOf] = way
  const input: Input = [{ role: 'user', content: 'Go' }]
  const respond = async () => {
    const request = { model, input, tools: [tool] }
    if (how === 'whole') return client.openai.responses.create(request)
    return client.openai.responses.stream(request).finalResponse()
  }
  const first = await respond()
  expect(first.output).toEqual([{ ...expected, call_id: expect.any(String), status: 'completed' }])
  expect(first.tools).toEqual([tool])

  const [call] = first.output
  if (!call || !('call_id' in call) || call.type === 'function_call_output')
    throw new Error(`no call of ${kind}`)
  input.push(call as Input[number], answerOf(call.call_id as string))
  expect((await respond()).output_text).toContain('result seven')
})

test('an agent may answer a local shell by the id of the item, or by its call', async () => {
  const action = { type: 'exec' as const, command: ['ls'], env: {} }
  const call = { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action, status: 'completed' }
  for (const named of [{ id: 'lsh_1' }, { id: 'call_1' }, { call_id: 'call_1' }]) {
    const output = { type: 'local_shell_call_output', output: 'result seven', ...named }
    const answer = await client.post('/responses', { model: 'vendor_b/lyric', input: [call, output] })
    expect(JSON.stringify(await answer.json())).toContain('result seven')
  }
})

test('calls are streamed as OpenAI orders their events; a function of the same name keeps its own', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const tools = [
    { type: 'function', name: 'shell', parameters },
    { type: 'shell' },
    { type: 'custom', name: 'patch' },
  ]
  const request = { model: 'vendor_a/atlas', input: 'Go in parallel', tools, stream: true }
  const { output } = expectOrder(readEvents(await (await client.post('/responses', request)).text()))
  expect(output.map(item => item.type)).toEqual(['function_call', 'shell_call', 'custom_tool_call'])
  expect(output[0]).toMatchObject({ name: 'shell' })
})

const [custom, shell, search] = [kinds[0]![1], kinds[2]![1], { type: 'web_search' }]
const remote = { type: 'shell', environment: { type: 'container_auto' } }
const forced: [string, object, unknown, string?][] = [
  ['a custom tool', custom, { type: 'custom', name: 'patch' }, 'custom_tool_call'],
  ['the shell', shell, { type: 'shell' }, 'shell_call'],
  ['a search of the server', search, search],
  ['any of the tools of the server', search, 'required'],
  ['a shell in a container of the server', remote, { type: 'shell' }],
]
test.each(forced)('forced: %s', async (_, tool, tool_choice, type) => {
  const request = { model: 'vendor_c/prism-pro', input: 'Go', tools: [tool], tool_choice }
  const body = await (await client.post('/responses', request)).json()
  if (type) expect(body.output).toMatchObject([{ type }])
  else
    expect(body).toMatchObject({ code: 400, error: { code: 'unsupported_parameter', param: 'tool_choice' } })
})

test('logprobs are returned where the vendor has them, whole and streamed, and refused where not', async () => {
  const request = {
    model: 'vendor_a/atlas',
    input: 'say 4 words',
    include: ['message.output_text.logprobs' as const],
    top_logprobs: 2,
  }
  const logprob = { token: expect.any(String), logprob: expect.any(Number), bytes: expect.any(Array) }
  const { openai } = client
  for (const { output, top_logprobs } of [
    await openai.responses.create(request),
    await openai.responses.stream(request).finalResponse(),
  ]) {
    const [item] = output
    const part = item?.type === 'message' ? item.content[0] : undefined
    if (part?.type !== 'output_text') throw new Error('no text')
    expect(part.logprobs?.map(({ token }) => token).join('')).toBe(part.text)
    expect(part.logprobs?.[0]).toEqual({ ...logprob, top_logprobs: [logprob, logprob] })
    expect(top_logprobs).toBe(2)
  }
  const events = readEvents(await (await client.post('/responses', { ...request, stream: true })).text())
  const deltas = events.flatMap(event => (event.type === 'response.output_text.delta' ? event.logprobs : []))
  expect(deltas.length).toBeGreaterThan(2)

  const refused = openai.responses.create({ ...request, model: 'vendor_b/lyric' })
  await expect(refused).rejects.toMatchObject({
    status: 400,
    param: expect.stringMatching(/include|top_logprobs/),
  })
  expect(system.simulator.calls.length).toBeGreaterThan(0)
})
