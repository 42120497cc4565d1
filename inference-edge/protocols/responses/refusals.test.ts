import { expect, test } from 'vitest'
import { Problem } from '../../../schema/errors.ts'
import { responses } from './protocol.ts'

const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'a', output: '' }
const user = { role: 'user', content: 'Hi' }
const weather = { type: 'function', name: 'weather' }

const refused: [string, object, string, string][] = [
  ['an empty input', { input: [] }, 'invalid_request', 'input'],
  ['an input without messages', { input: [{ type: 'reasoning' }] }, 'invalid_request', 'input'],
  ['an input of another type', { input: 7 }, 'invalid_request', 'input'],
  ['an item of another type', { input: ['Hi'] }, 'invalid_request', 'input[0]'],
  ['instructions that are no text', { instructions: [user] }, 'invalid_request', 'instructions'],
  ['an unknown effort', { reasoning: { effort: 'huge' } }, 'invalid_request', 'reasoning.effort'],
  ['metadata that is no text', { metadata: { a: 1 } }, 'invalid_request', 'metadata.a'],

  [
    'an earlier response',
    { previous_response_id: 'resp_1' },
    'previous_response_not_found',
    'previous_response_id',
  ],
  [
    'an earlier response, with what belongs to it',
    { previous_response_id: 'resp_1', input: [output] },
    'previous_response_not_found',
    'previous_response_id',
  ],
  ['a conversation', { conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
  ['a stored prompt', { prompt: { id: 'pmpt_1' }, input: undefined }, 'unsupported_parameter', 'prompt'],
  [
    'a stored item',
    { input: [user, { type: 'item_reference', id: 'msg_1' }] },
    'invalid_request',
    'input[1]',
  ],

  ['an item without a type', { input: [{ content: 'Hi' }] }, 'missing_parameter', 'input[0].type'],
  ['an item of a new type', { input: [user, { type: 'thought' }] }, 'invalid_request', 'input[1].type'],
  ['a wrong role', { input: [{ role: 'tool', content: '' }] }, 'invalid_request', 'input[0].role'],
  ['no content', { input: [{ role: 'user' }] }, 'missing_parameter', 'input[0].content'],
  [
    'a part of a new type',
    { input: [{ role: 'user', content: [{ type: 'input_smell' }] }] },
    'invalid_request',
    'input[0].content[0].type',
  ],
  [
    'an image by its id',
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }] },
    'missing_parameter',
    'input[0].content[0].image_url',
  ],
  [
    'a call without id',
    { input: [{ ...call, call_id: undefined }] },
    'missing_parameter',
    'input[0].call_id',
  ],
  [
    'arguments that are no text',
    { input: [{ ...call, arguments: {} }] },
    'invalid_request',
    'input[0].arguments',
  ],
  [
    'an output without id',
    { input: [call, { ...output, call_id: undefined }] },
    'missing_parameter',
    'input[1].call_id',
  ],
  [
    'an output without content',
    { input: [call, { ...output, output: undefined }] },
    'missing_parameter',
    'input[1].output',
  ],
  ['an output without a call', { input: [user, output] }, 'invalid_request', 'input[1].call_id'],
  ['two outputs of one call', { input: [call, output, output] }, 'invalid_request', 'input[2].call_id'],
  ['a call without output', { input: [user, call, user] }, 'invalid_request', 'input[1].call_id'],

  ['a function without name', { tools: [{ type: 'function' }] }, 'missing_parameter', 'tools[0].name'],
  ['a tool without type', { tools: [{ name: 'weather' }] }, 'missing_parameter', 'tools[0].type'],
  [
    'a function in a namespace without name',
    { tools: [weather, { type: 'namespace', name: 'maps', tools: [{ type: 'function' }] }] },
    'missing_parameter',
    'tools[1].tools[0].name',
  ],
  [
    'a file without content',
    { input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a.pdf' }] }] },
    'missing_parameter',
    'input[0].content[0].file_data',
  ],
  [
    'an image that would be stored',
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
    'missing_parameter',
    'input[0].content[0].image_url',
  ],
  ['too many tools', { tools: Array(2_001).fill({ type: 'web_search' }) }, 'invalid_request', 'tools'],
  ['too many items', { input: Array(30_001).fill({ type: 'reasoning' }) }, 'invalid_request', 'input'],
  ['a wrong choice', { tools: [weather], tool_choice: 'perhaps' }, 'invalid_request', 'tool_choice'],
  [
    'a choice of what is not there',
    { tools: [weather], tool_choice: { type: 'function', name: 'route' } },
    'invalid_request',
    'tool_choice.name',
  ],
  [
    'an allowed tool that is not there',
    {
      tools: [weather],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [weather, { type: 'function', name: 'route' }],
      },
    },
    'invalid_request',
    'tool_choice.tools[1].name',
  ],
  ['an unknown format', { text: { format: { type: 'xml' } } }, 'invalid_request', 'text.format.type'],
  [
    'a schema without name',
    { text: { format: { type: 'json_schema', schema: {} } } },
    'missing_parameter',
    'text.format.name',
  ],
]

test.each(refused)('%s is refused, naming the parameter', (_, fields, errorName, param) => {
  const problem = problemOf({ model: 'vendor_a/atlas', input: 'Hi', ...fields })
  expect({ errorName: problem.errorName, param: problem.details.param }).toEqual({ errorName, param })
  expect(problem.status).toBe(400)
  expect(problem.message).toMatch(/\.$/)
})

test('a body that is no object is refused', () => {
  for (const body of [null, 'Hi', 7, []]) expect(problemOf(body).errorName).toBe('invalid_request')
})

const conversation = responses.read({
  model: 'vendor_a/atlas',
  instructions: 'Be kind',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: '' },
        { type: 'input_image', image_url: 'http://a' },
      ],
    },
    { type: 'reasoning' },
    { role: 'assistant', content: 'I look' },
    call,
    output,
  ],
  tools: [{ type: 'web_search' }, weather, { type: 'namespace', name: 'maps', tools: [weather] }],
})

const renamed: [string, string][] = [
  ['messages', 'input'],
  ['messages[0].content', 'instructions'],
  ['messages[1].content[1].image_url.url', 'input[0].content[1].image_url'],
  ['messages.[1].role', 'input[0].role'],
  ['messages[2].content', 'input[2].content'],
  ['messages[2].tool_calls[0].function.arguments', 'input[3].arguments'],
  ['messages[3].tool_call_id', 'input[4].call_id'],
  ['messages[3].content[0]', 'input[4].output[0]'],
  ['tools[0].function.name', 'tools[1].name'],
  ['tools[1].function.parameters', 'tools[2].tools[0].parameters'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['max_tokens', 'max_output_tokens'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['reasoning_effort', 'reasoning.effort'],
  ['temperature', 'temperature'],
  ['tool_choice.function.name', 'tool_choice.name'],
]
test.each(renamed)('a problem with %s names %s', (param, expected) => {
  const problem = new Problem('invalid_request', { param, message: `Invalid '${param}'.`, internal: 'raw' })
  const problemForClient = conversation.renameParam(problem)
  expect(problemForClient.details).toMatchObject({ param: expected, internal: 'raw' })
  expect(problemForClient.message).toBe(`Invalid '${expected}'.`)
})

function problemOf(body: unknown): Problem {
  try {
    responses.read(body)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was not refused')
}
