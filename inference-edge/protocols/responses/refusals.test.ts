import { expect, test } from 'vitest'
import { Problem } from '../../../schema/errors.ts'
import { responses } from './protocol.ts'

const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'a', output: '' }
const user = { role: 'user', content: 'Hi' }
const weather = { type: 'function', name: 'weather' }

const says = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const chooses = (tool_choice: unknown) => ({ tools: [weather], tool_choice })
const route = { type: 'function', name: 'route' }
const nameless = { type: 'namespace', name: 'maps', tools: [{ type: 'function' }] }
const earlier = { previous_response_id: 'resp_1' }
const allowed = { type: 'allowed_tools', mode: 'auto', tools: [weather, route] }
const refused: [string, object, string, string?][] = [
  ['an empty input', { input: [] }, 'input'],
  ['an input without messages', { input: [{ type: 'reasoning' }] }, 'input'],
  ['an input of another type', { input: 7 }, 'input'],
  ['an item of another type', { input: ['Hi'] }, 'input[0]'],
  ['instructions that are no text', { instructions: [user] }, 'instructions'],
  ['an unknown effort', { reasoning: { effort: 'huge' } }, 'reasoning.effort'],
  ['metadata that is no text', { metadata: { a: 1 } }, 'metadata.a'],
  ['an earlier response', earlier, 'previous_response_id', 'previous_response_not_found'],
  [
    'one with its output',
    { ...earlier, input: [output] },
    'previous_response_id',
    'previous_response_not_found',
  ],
  ['a conversation', { conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
  ['a stored prompt', { prompt: { id: 'pmpt_1' }, input: undefined }, 'prompt', 'unsupported_parameter'],
  ['a stored item', { input: [user, { type: 'item_reference', id: 'msg_1' }] }, 'input[1]'],
  ['an item without a type', { input: [{ content: 'Hi' }] }, 'input[0].type', 'missing_parameter'],
  ['an item of a new type', { input: [user, { type: 'thought' }] }, 'input[1].type'],
  ['a wrong role', { input: [{ role: 'tool', content: '' }] }, 'input[0].role'],
  ['no content', { input: [{ role: 'user' }] }, 'input[0].content', 'missing_parameter'],
  ['a part of a new type', says({ type: 'input_smell' }), 'input[0].content[0].type'],
  [
    'an image by its id',
    says({ type: 'input_image', file_id: 'file_1' }),
    'input[0].content[0].image_url',
    'missing_parameter',
  ],
  [
    'a call without id',
    { input: [{ ...call, call_id: undefined }] },
    'input[0].call_id',
    'missing_parameter',
  ],
  ['arguments that are no text', { input: [{ ...call, arguments: {} }] }, 'input[0].arguments'],
  ['no id', { input: [call, { ...output, call_id: undefined }] }, 'input[1].call_id', 'missing_parameter'],
  ['no output', { input: [call, { ...output, output: undefined }] }, 'input[1].output', 'missing_parameter'],
  ['an output without a call', { input: [user, output] }, 'input[1].call_id'],
  ['two outputs of one call', { input: [call, output, output] }, 'input[2].call_id'],
  ['a call without output', { input: [user, call, user] }, 'input[1].call_id'],
  ['a function without name', { tools: [{ type: 'function' }] }, 'tools[0].name', 'missing_parameter'],
  ['a tool without type', { tools: [{ name: 'weather' }] }, 'tools[0].type', 'missing_parameter'],
  ['one in a namespace', { tools: [weather, nameless] }, 'tools[1].tools[0].name', 'missing_parameter'],
  [
    'a file without content',
    says({ type: 'input_file', filename: 'a.pdf' }),
    'input[0].content[0].file_data',
    'missing_parameter',
  ],
  ['too many tools', { tools: Array(2_001).fill({ type: 'web_search' }) }, 'tools'],
  ['too many items', { input: Array(30_001).fill({ type: 'reasoning' }) }, 'input'],
  ['a wrong choice', chooses('perhaps'), 'tool_choice'],
  ['a choice of what is not there', chooses(route), 'tool_choice.name'],
  ['an allowed tool that is not there', chooses(allowed), 'tool_choice.tools[1].name'],
  ['an unknown format', { text: { format: { type: 'xml' } } }, 'text.format.type'],
  [
    'a schema without name',
    { text: { format: { type: 'json_schema', schema: {} } } },
    'text.format.name',
    'missing_parameter',
  ],
]

test.each(refused)(
  '%s is refused, naming the parameter',
  (_, fields, param, errorName = 'invalid_request') => {
    const problem = problemOf({ model: 'vendor_a/atlas', input: 'Hi', ...fields })
    expect({ errorName: problem.errorName, param: problem.details.param }).toEqual({ errorName, param })
    expect(problem.status).toBe(400)
    expect(problem.message).toMatch(/\.$/)
  },
)

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
