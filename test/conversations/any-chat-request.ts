import fc from 'fast-check'
import { aSchema } from './a-schema.ts'

/**
 * Chat requests as clients of every kind send them: most are sound, some have something wrong with them somewhere.
 * All are in the canonical chat format as far as their shape goes.
 */
export function anyChatRequest(models: readonly string[]): fc.Arbitrary<object> {
  return fc.record({
    model: fc.constantFrom(...models),
    messages,
    tools: maybe(fc.array(tool, { maxLength: 3 })),
    tool_choice: maybe(choice),
    parallel_tool_calls: maybe(fc.boolean()),
    response_format: format,
    stop: maybe(fc.constantFrom(null, '', 'END', ['a', ''], [' '], ['1', '2', '3', '4', '5', '6'])),
    temperature: maybe(fc.double({ min: 0, max: 2, noNaN: true })),
    top_p: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
    presence_penalty: maybe(fc.constantFrom(-2, 0, 1.5, null)),
    logprobs: maybe(fc.boolean()),
    top_logprobs: maybe(fc.constantFrom(0, 3, 21)),
    reasoning_effort: maybe(fc.constantFrom('none', 'minimal', 'high', 'max', 'huge', null)),
    n: maybe(fc.constantFrom(1, 2, 9)),
    seed: maybe(fc.oneof(fc.nat(), fc.maxSafeInteger())),
    stream: maybe(fc.boolean()),
    max_tokens: maybe(fc.integer({ min: 1, max: 500 })),
    user: maybe(fc.constantFrom('ann', null)),
    metadata: maybe(fc.constant({ a: 'b' })),
  })
}

function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, arbitrary)
}

const someText = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 4 }) },
  fc.constantFrom('', ' ', '\n', 'Grüße 👋🏽', '\ud83d', '{"a":1}'),
)
const textPart = someText.map(text => ({ type: 'text', text }))
const image = fc
  .constantFrom(
    'https://a.b/c.png',
    'data:image/png;base64,aGk=',
    'data:IMAGE/JPG;charset=x;base64,a G k=',
    'data:image/gif;base64,aGk=',
    'data:image/svg+xml,a',
    'file:///a',
  )
  .map(url => ({ type: 'image_url', image_url: { url, detail: 'low' } }))
const strangePart = fc.constantFrom(
  { type: 'refusal', refusal: 'No.' },
  { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
)
const textContent = fc.oneof(someText, fc.array(textPart, { maxLength: 3 }))
const userContent = fc.oneof(
  { weight: 12, arbitrary: textContent },
  { weight: 2, arbitrary: fc.array(fc.oneof(textPart, image), { maxLength: 3 }) },
  fc.array(fc.oneof(textPart, strangePart), { maxLength: 2 }),
)
const saidContent = fc.oneof(textContent, fc.constantFrom(null, undefined))

/** Ids of every vendor and of clients who make their own. */
const callId = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('call_1', 'call_2', 'toolu_01D7', 'functions.now:0', 'x'.repeat(60)),
  },
  fc.string({ minLength: 1, maxLength: 80 }),
)
const toolName = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('now', 'get_weather', 'search-all') },
  fc.constantFrom('a.b', 'ä', '2fa'),
)
const callArguments = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('', '{}', '{"city":"Bern"}', ' {"n":[1,null]}') },
  fc.constantFrom('{', 'null', '[]'),
)
const calls = fc.array(
  fc.record({
    id: callId,
    type: fc.constant('function'),
    function: fc.record({ name: toolName, arguments: callArguments }),
    extra_content: fc.constantFrom(undefined, { acme: { trace: 's' } }),
  }),
  { minLength: 1, maxLength: 3 },
)

/** Calls and their results in some order; now and then one is missing, or answers nothing. */
const round = fc
  .record({
    content: saidContent,
    tool_calls: calls,
    answers: fc.array(userContent, { minLength: 3, maxLength: 3 }),
    slip: fc.nat(15),
  })
  .map(({ content, tool_calls, answers, slip }) => {
    const results = tool_calls.map(({ id }, index) => ({
      role: 'tool',
      tool_call_id: id,
      content: answers[index],
    }))
    if (slip === 0) results.pop()
    if (slip === 1) results.push({ role: 'tool', tool_call_id: 'call_9', content: 'x' })
    return [{ role: 'assistant', content, tool_calls }, ...results.reverse()]
  })

const piece = fc.oneof(
  { weight: 4, arbitrary: userContent.map(content => [{ role: 'user', content, name: 'ann' }]) },
  { weight: 2, arbitrary: saidContent.map(content => [{ role: 'assistant', content }]) },
  fc.record({ role: fc.constantFrom('system', 'developer'), content: textContent }).map(message => [message]),
  { weight: 3, arbitrary: round },
)
const ending = fc.oneof(
  { weight: 5, arbitrary: fc.constant([{ role: 'user', content: 'So? In JSON.' }]) },
  fc.constant([]),
)
const messages = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), ending)
  .map(([pieces, end]) => [...pieces.flat(), ...end])
  .filter(list => list.length > 0)

const parameters = fc.oneof(
  fc.constantFrom(undefined, {}, { type: 'object', properties: { city: { type: 'string' } } }),
  aSchema.filter(schema => typeof schema === 'object' && schema !== null && !Array.isArray(schema)),
)
const tool = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('function'),
      function: fc.record({
        name: toolName,
        description: fc.constantFrom(undefined, '', 'Does it.'),
        parameters,
        strict: fc.boolean(),
      }),
    }),
  },
  fc.constantFrom({ type: 'web_search' }, { type: 'custom', custom: { name: 'grep' } }),
)
const choice = fc.oneof(
  fc.constantFrom('auto', 'none', 'required', null),
  toolName.map(name => ({ type: 'function', function: { name } })),
  fc
    .record({ mode: fc.constantFrom('auto', 'required'), names: fc.array(toolName, { maxLength: 2 }) })
    .map(({ mode, names }) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: names.map(name => ({ type: 'function', function: { name } })) },
    })),
)
const format = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
  aSchema.map(schema => ({ type: 'json_schema', json_schema: { name: 'a', schema } })),
)
