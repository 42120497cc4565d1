import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonRecord } from '../../server/json.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

async function send(
  body: Json,
  { model = 'prism-3-pro', method = 'generateContent', key = 'sim-platform-key' } = {},
) {
  const response = await fetch(`${simulator.url}/gemini/v1beta/models/${model}:${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-goog-api-key': key }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const user = (...parts: JsonRecord[]): JsonRecord => ({ role: 'user', parts })
const says = (...parts: JsonRecord[]): JsonRecord => ({ role: 'model', parts })
const text = (words: string): JsonRecord => ({ text: words })
const call = (
  name: string,
  more: JsonRecord = {},
  thoughtSignature = 'skip_thought_signature_validator',
): JsonRecord => ({
  functionCall: { name, args: {}, ...more },
  ...(thoughtSignature && { thoughtSignature }),
})
const response = (name: string, more: JsonRecord = {}): JsonRecord => ({
  functionResponse: { name, response: { result: 'x' }, ...more },
})
const hello = [user(text('Hello'))]
const declared = (...names: string[]): JsonRecord => ({
  tools: [{ functionDeclarations: names.map(name => ({ name })) }],
})
const talk = (...contents: JsonRecord[]): JsonRecord => ({ contents })
/** A call of the model, and what the user answers. */
const after = (called: JsonRecord, ...answers: JsonRecord[]) => talk(...hello, says(called), user(...answers))
const choosing = (functionCallingConfig: JsonRecord, tools: JsonRecord = declared('f')): JsonRecord => ({
  contents: hello,
  ...tools,
  toolConfig: { functionCallingConfig },
})
const config = (generationConfig: JsonRecord): JsonRecord => ({ contents: hello, generationConfig })
const inline = (mimeType: string, data: string) => talk(user({ inlineData: { mimeType, data } }))

const refused: [what: string, body: JsonRecord, message: string, model?: string][] = [
  ['no contents', {}, 'contents is not specified'],
  ['empty contents', { contents: [] }, 'contents is not specified'],
  ['an unknown name', { contents: hello, store: true }, 'Unknown name "store"'],
  ['another role', talk({ role: 'tool', parts: [text('a')] }), 'Please use a valid role: user, model.'],
  ['no parts', talk(user()), 'parts must not be empty'],
  ['a turn without a list of parts', talk({ role: 'user' }), 'parts must not be empty'],
  ['a part of nothing', talk(user({})), "required oneof field 'data'"],
  ['an empty text', talk(user(text(''))), "required oneof field 'data'"],
  ['two things in one part', talk(user({ text: 'a', inlineData: {} })), "oneof field 'data' is already set"],
  ['text that is none', talk(user({ text: 5 })), '(TYPE_STRING), 5'],
  ['half a character', talk(user(text('\ud83d'))), 'Invalid Unicode'],
  ['the model first', talk(says(text('a')), user(text('b'))), 'alternate between user and model'],
  ['the model last', talk(...hello, says(text('a'))), 'ends with a user role'],
  ['a type of image', inline('image/gif', 'aGk='), 'Unsupported MIME type: image/gif'],
  ['broken base64', inline('image/png', 'a'), 'Base64 decoding failed'],
  ['a call without its response', after(call('f'), text('b')), 'number of function response parts'],
  [
    'a response too many',
    after(call('f'), response('f'), response('f')),
    'number of function response parts',
  ],
  ['a response of another', after(call('f'), response('g')), 'function call f has its function response'],
  [
    'a response of another id',
    after(call('f', { id: '1' }), response('f')),
    'function call f has its function response',
  ],
  ['a response to nothing', after(text('a'), response('f')), 'immediately after a function call turn'],
  ['a response beside text', after(call('f'), response('f'), text('b')), 'function responses alone'],
  ['a response without a name', after(call('f'), response('')), 'Name cannot be empty'],
  ['a call of nothing', after({ functionCall: {} }, response('f')), 'Name cannot be empty'],
  ['a response that is text', after(call('f'), response('f', { response: 'x' })), 'must be a Struct'],
  ['a call without a signature', after(call('f', {}, ''), response('f')), 'missing a thought_signature'],
  ["another's signature", after(call('f', {}, 'c2ln'), response('f')), 'Corrupted thought signature'],
  [
    'an id, on an earlier model',
    after(call('f', { id: '1' }), response('f')),
    'Unknown name "id"',
    'prism-2-lite',
  ],
  ['a name that is none', { contents: hello, ...declared('2f') }, 'Invalid function name'],
  [
    'a function without a name',
    { contents: hello, tools: [{ functionDeclarations: [{}] }] },
    'Invalid function name',
  ],
  ['a name twice', { contents: hello, ...declared('f', 'f') }, 'Duplicate function declaration found: f'],
  ['a choice without tools', choosing({ mode: 'ANY' }, {}), 'without function_declarations'],
  ['a choice of an unknown function', choosing({ mode: 'ANY', allowedFunctionNames: ['g'] }), 'g is not in'],
  [
    'names for a free choice',
    choosing({ mode: 'AUTO', allowedFunctionNames: ['f'] }),
    'only supported when mode is ANY',
  ],
  ['temperature above 2', config({ temperature: 2.1 }), 'range [0, 2]'],
  ['a seed of 64 bits', config({ seed: 2 ** 40 }), 'TYPE_INT32'],
  ['no tokens for the answer', config({ maxOutputTokens: 0 }), 'range [1, 65536]'],
  ['six stops', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), 'only 5 stop sequences'],
  ['likelihoods that are not switched on', config({ logprobs: 3 }), 'requires response_logprobs'],
  ['a schema without JSON', config({ responseJsonSchema: {} }), 'must be application/json'],
  [
    'JSON beside tools, on an earlier model',
    { ...config({ responseMimeType: 'application/json' }), ...declared('f') },
    'is unsupported',
    'prism-2-lite',
  ],
  [
    'a level, on an earlier model',
    config({ thinkingConfig: { thinkingLevel: 'LOW' } }),
    'level is not supported',
    'prism-2-lite',
  ],
  [
    'a level and a budget',
    config({ thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 1 } }),
    'only set one of',
  ],
]

describe('a request', () => {
  it.each(refused)('with %s is refused', async (_what, body, message, model) => {
    const answer = await send(body, { model })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) } },
    })
  })

  it('with everything in its place is answered', async () => {
    const contents = [
      ...hello,
      says(text('a')),
      user(text('b')),
      says(call('f', { id: '1' })),
      user(response('f', { id: '1' })),
      user(text('c')),
    ]
    expect((await send({ contents, ...declared('f') })).status).toBe(200)
  })

  it('needs signatures of the current turn alone', async () => {
    const round = [says(call('f', {}, '')), user(response('f'))]
    expect((await send({ contents: [...hello, ...round, says(text('a')), user(text('b'))] })).status).toBe(
      200,
    )
  })
})

describe('a key', () => {
  it('that is wrong is a wrong request, and none is forbidden', async () => {
    expect(await send({ contents: hello }, { key: 'sim-bad' })).toMatchObject({
      status: 400,
      body: { error: { details: [{ reason: 'API_KEY_INVALID' }] } },
    })
    expect((await send({ contents: hello }, { key: '' })).status).toBe(403)
    expect((await send({ contents: hello }, { key: 'sim-429' })).status).toBe(429)
  })
})

describe('an address', () => {
  it('of a model that is not there is not found', async () => {
    expect(await send({ contents: hello }, { model: 'missing-3' })).toMatchObject({
      status: 404,
      body: {
        error: { status: 'NOT_FOUND', message: expect.stringContaining('models/missing-3 is not found') },
      },
    })
    expect((await send({ contents: hello }, { method: 'think' })).status).toBe(404)
  })

  it('without alt=sse answers with a list, errors included', async () => {
    const listed = await send({ contents: hello }, { method: 'streamGenerateContent' })
    expect(listed.body.length).toBeGreaterThan(1)
    const refusedList = await send({}, { method: 'streamGenerateContent' })
    expect(refusedList).toMatchObject({ status: 400, body: [{ error: { code: 400 } }] })
  })
})

describe('the salt', () => {
  const salt = '<!-- cache partition x -->'
  const salted = { contents: hello, systemInstruction: { parts: [text(salt), text('Be brief.')] } }
  const withTool = (description: string) => ({
    ...salted,
    tools: [{ functionDeclarations: [{ name: 'f', description }] }],
  })

  it('is looked for where a setting says so, before the system and before the tools', async () => {
    simulator.change({ requireSalt: true })
    expect((await send(salted)).status).toBe(200)
    expect((await send(withTool(`${salt}\nDoes it.`))).status).toBe(200)
    const wrongs: JsonRecord[] = [
      { contents: hello },
      { contents: hello, systemInstruction: { parts: [text('Be brief.'), text(salt)] } },
      { contents: hello, systemInstruction: { parts: [text(`${salt} Be brief.`)] } },
      { contents: hello, systemInstruction: { parts: [text(salt), text(salt)] } },
      withTool('Does it.'),
    ]
    for (const wrong of wrongs) {
      expect(await send(wrong)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('salt') } },
      })
    }
    simulator.reset()
    expect((await send({ contents: hello })).status).toBe(200)
  })
})
