import { expect, test } from 'vitest'
import { responses } from './protocol.ts'

const model = 'vendor_a/atlas'
const chatOf = (fields: object) => responses.read({ model, input: 'Hi', ...fields }).request

test('a string is one user message, after the instructions', () => {
  expect(chatOf({ instructions: 'Be kind' })).toEqual({
    model,
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Hi' },
    ],
  })
})

test('fields get their names in chat completions; nulls and fields without a meaning here are dropped', () => {
  const kept = {
    ...{ temperature: 0.5, top_p: 0.9, stream: true, prompt_cache_key: 'thread' },
    ...{ safety_identifier: 'someone', user: 'user' },
  }
  const request = chatOf({
    ...kept,
    max_output_tokens: 100,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { format: { type: 'json_object' }, verbosity: 'low' },
    ...{ metadata: { purpose: 'test' }, store: true, include: ['reasoning.encrypted_content'] },
    ...{ truncation: 'auto', service_tier: 'priority', background: true, client_metadata: { a: 'b' } },
    ...{ parallel_tool_calls: true, instructions: null, previous_response_id: null, conversation: null },
    prompt: null,
  })
  expect(request).toEqual({
    ...{ ...kept, model, messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 100 },
    ...{ reasoning_effort: 'low', response_format: { type: 'json_object' }, verbosity: 'low' },
  })
})

test('a JSON schema is nested in json_schema', () => {
  const schema = { type: 'object', properties: {} }
  const format = { type: 'json_schema', name: 'city', description: 'A city', schema, strict: true }
  expect(chatOf({ text: { format } }).response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'city', description: 'A city', schema, strict: true },
  })
  expect(chatOf({ text: { format: { type: 'text' } } })).not.toHaveProperty('response_format')
})

test('content: strings, texts and refusals of the assistant, images by string or object, files, audio', () => {
  const { messages } = chatOf({
    input: [
      { role: 'developer', content: 'Rules' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'More rules' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'https://images.example/a.png', detail: 'low' },
          { type: 'input_image', image_url: { url: 'data:image/png;base64,aaaa' } },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aaaa' },
          { type: 'input_audio', input_audio: { data: 'aaaa', format: 'mp3' } },
        ],
      },
      {
        ...{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', phase: 'commentary' },
        content: [
          { type: 'output_text', text: 'A cat', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'No more.' },
        ],
      },
    ],
  })
  expect(messages).toEqual([
    { role: 'system', content: 'Rules' },
    { role: 'system', content: 'More rules' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,aaaa', filename: 'a.pdf' } },
        { type: 'input_audio', input_audio: { data: 'aaaa', format: 'mp3' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'A cat' },
        { type: 'refusal', refusal: 'No more.' },
      ],
    },
  ])
})

test('messages between agents, and outputs without a call, become user messages', () => {
  const { messages } = chatOf({
    input: [
      {
        type: 'agent_message',
        author: '/root',
        recipient: '/root/lister',
        content: [
          { type: 'input_text', text: 'Payload:' },
          { type: 'encrypted_content', encrypted_content: 'List the files' },
        ],
      },
      { type: 'function_call_output', id: 'fco_1', name: 'goal', namespace: 'agent', output: 'Be done' },
    ],
  })
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Payload:' },
        { type: 'text', text: 'List the files' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Be done' },
        { type: 'text', text: '(output of agent.goal)' },
      ],
    },
  ])
})

test('reasoning, and calls and outputs of tools that run at a vendor, are dropped', () => {
  const { messages } = chatOf({
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'xyz' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'mcp_list_tools', id: 'mcp_1', server_label: 'docs', tools: [] },
      {
        ...{ type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
        environment: { type: 'container_reference', container_id: 'x' },
      },
      { type: 'shell_call_output', call_id: 'c', output: [] },
    ],
  })
  expect(messages).toEqual([{ role: 'user', content: 'Hi' }])
})

const described = { name: 'weather', description: 'Of a city', parameters: { type: 'object' } }
const weather = { type: 'function', ...described }
const maps = {
  type: 'namespace',
  name: 'maps',
  description: 'Ways',
  tools: [
    { type: 'function', name: 'route', strict: false },
    { type: 'mcp', name: 'draw' },
  ],
}
const others = [
  { type: 'web_search' },
  { type: 'shell', environment: { type: 'container_auto' } },
  { type: 'mcp', server_label: 'a' },
  { type: 'new' },
]

test('functions are nested in function, namespaces are flattened, tools that run at a vendor are dropped', () => {
  const request = chatOf({ tools: [others[0], weather, maps, ...others], parallel_tool_calls: false })
  expect(request.tools).toEqual([
    { type: 'function', function: described },
    { type: 'function', function: { name: 'maps__route', strict: false } },
  ])
  expect(request.parallel_tool_calls).toBe(false)
})

const chat = (name: string) => ({ type: 'function', function: { name } })
const named = (name: string, namespace?: string) => ({
  type: 'function',
  name,
  ...(namespace && { namespace }),
})
const among = (mode: string, ...tools: object[]) => ({ type: 'allowed_tools', mode, tools })
const route = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [chat('maps__route')] } }
const choices: [string, object[], unknown, unknown][] = [
  ['a mode', [weather], 'required', 'required'],
  ['one function', [weather], named('weather'), chat('weather')],
  ['one of a namespace', [weather, maps], named('route', 'maps'), chat('maps__route')],
  ['one of a namespace by its name alone', [weather, maps], named('route'), chat('maps__route')],
  ['several', [weather, maps, ...others], among('required', others[0]!, named('route')), route],
  ['several that were all dropped', [weather], among('auto', others[0]!), 'none'],
]
test.each(choices)('tool_choice: %s', (_, tools, tool_choice, expected) => {
  expect(chatOf({ tools, tool_choice }).tool_choice).toEqual(expected)
})

test.each([
  ['a tool that was dropped', [weather, ...others], { type: 'web_search' }],
  ['any, when all were dropped', others, 'required'],
  ['one of several that were all dropped', others, among('required', ...others)],
])('a choice that forces %s is refused', (_, tools, tool_choice) => {
  expect(() => chatOf({ tools, tool_choice })).toThrow(
    expect.objectContaining({ errorName: 'unsupported_parameter' }),
  )
})

test('without offered functions the request has no field about tools', () => {
  const request = chatOf({ tools: others, tool_choice: 'auto', parallel_tool_calls: true })
  expect(Object.keys(request)).toEqual(['model', 'messages'])
})
