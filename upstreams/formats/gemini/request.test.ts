import { describe, expect, it } from 'vitest'
import type { ChatRequest, ContentPart } from '../../../schema/wire/chat.ts'
import { aChatCall, type FlagChanges, withFlags } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy as thrown } from '../../../test/harness/a-refusal.ts'
import { translateRequest } from './request.ts'

const pro = 'vendor_c/prism-pro'
const lite = 'vendor_c/prism-lite'
const salt = '<!-- cache partition rb-cache-token -->'

type Fields = Partial<ChatRequest> & { model?: string; [other: string]: unknown }

function translate({ model = pro, ...fields }: Fields, flags: FlagChanges = {}, images = new Map()) {
  const call = aChatCall({ model, ...fields })
  const entry = withFlags(call.entry, flags)
  return translateRequest({ ...call, entry }, { images, origin: 'here' })
}

const configOf = (fields: Fields, flags?: FlagChanges) => translate(fields, flags).generationConfig

const thrownBy = (fields: Fields, flags?: FlagChanges) => thrown(() => translate(fields, flags))
const refusal = (param: string, errorName = 'unsupported_parameter') => problemAt(param, errorName)

const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })
const showing = (url: string): Fields => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
})
const urlParam = 'messages[0].content[0].image_url.url'

describe('an image in a data URI', () => {
  it.each([
    ['data:image/png;base64,aGk=', 'image/png'],
    ['data:IMAGE/JPG;charset=utf-8;base64,aG k=\n', 'image/jpeg'],
    ['data:image/webp;base64,aGk=', 'image/webp'],
  ])('%s goes inline', (url, mimeType) => {
    expect(translate(showing(url)).contents[0]?.parts).toEqual([{ inlineData: { mimeType, data: 'aGk=' } }])
  })

  it.each([
    'data:image/svg+xml;base64,aGk=',
    'data:image/gif;base64,aGk=',
    'data:image/png,aGk=',
    'data:image/png;base64,é',
  ])('%s is refused', url => expect(thrownBy(showing(url))).toEqual(refusal(urlParam, 'invalid_request')))
})

it.each(['file:///etc/passwd', 'ftp://a.b/c', 'nonsense'])('an image at an address: %s is refused', url =>
  expect(thrownBy(showing(url))).toEqual(refusal(urlParam, 'invalid_request')),
)

it.each([
  ['END', ['END']],
  [
    ['a', '', 'b'],
    ['a', 'b'],
  ],
  [[''], undefined],
  [null, undefined],
])('stop: %j is %j', (stop, expected) => expect(configOf({ stop }).stopSequences).toEqual(expected))

it('how long and how many: n is candidateCount, as far as the model goes', () => {
  expect(configOf({ n: 3 }).candidateCount).toBe(3)
  expect(configOf({ n: 1 })).not.toHaveProperty('candidateCount')
  expect(thrownBy({ n: 9 })).toEqual(refusal('n'))
})

describe('likelihoods, seed and penalties', () => {
  it('are passed on under the names of the vendor', () => {
    const fields = { logprobs: true, top_logprobs: 3, seed: 5, presence_penalty: 1, frequency_penalty: -1 }
    const penalties = { presencePenalty: 1, frequencyPenalty: -1 }
    expect(configOf(fields)).toMatchObject({ responseLogprobs: true, logprobs: 3, seed: 5, ...penalties })
    expect(configOf({ top_logprobs: 3 })).not.toHaveProperty('logprobs')
    expect(thrownBy({ logprobs: true, top_logprobs: 21 })).toEqual(refusal('top_logprobs', 'invalid_request'))
  })

  it('a seed that is too long for the vendor is folded, always the same way', () => {
    expect(configOf({ seed: 2 ** 32 + 5 }).seed).toBe(5)
    expect(configOf({ seed: 2 ** 31 }).seed).toBe(-(2 ** 31))
  })

  it('logit_bias is dropped; what a model refuses is refused', () => {
    expect(configOf({ logit_bias: { 5: 1 } })).not.toHaveProperty('logitBias')
    expect(thrownBy({ seed: 5 }, { refused_parameters: ['seed'] })).toEqual(refusal('seed'))
    expect(configOf({ seed: 5 }, { ignored_parameters: ['seed'] })).not.toHaveProperty('seed')
  })
})

it('sampling is within what the model takes, or not sent at all', () => {
  expect(configOf({ temperature: 1.8, top_p: 0.5 })).toMatchObject({ temperature: 1.8, topP: 0.5 })
  expect(configOf({ temperature: 1.8 }, { max_temperature: 1 }).temperature).toBe(1)
  expect(configOf({ temperature: 1, top_p: 0.5 }, { sampling: false })).toEqual({ maxOutputTokens: 16_384 })
})

describe('tools and their choice', () => {
  const tools = [tool('now'), tool('get_weather')]
  const onlyNow = { mode: 'ANY', allowedFunctionNames: ['now'] }
  const callingOf = (tool_choice: ChatRequest['tool_choice']) =>
    translate({ tools, tool_choice }).toolConfig?.functionCallingConfig

  it.each([
    ['auto', undefined],
    [null, undefined],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ type: 'function', function: { name: 'now' } }, onlyNow],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('now')] } }, onlyNow],
  ])('%j is %j', (choice, expected) => expect(callingOf(choice)).toEqual(expected))

  it('a free choice among some shows no others', () => {
    const choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('get_weather')] } }
    const [offered] = translate({ tools, tool_choice: choice }).tools ?? []
    expect(offered?.functionDeclarations.map(({ name }) => name)).toEqual(['get_weather'])
  })

  it.each(['some', { type: 'custom' }, { type: 'function', function: { name: 'gone' } }])(
    '%j is refused',
    tool_choice =>
      expect(thrownBy({ tools, tool_choice })).toEqual(refusal('tool_choice', 'invalid_request')),
  )
})

describe('names of tools', () => {
  it.each(['a.b:c-d', '_x', 'N1'])('%s is taken', name =>
    expect(thrownBy({ tools: [tool(name)] })).toBe('nothing'),
  )

  it.each(['2fa', 'ä', 'a b', 'x'.repeat(129)])('%s is refused', name =>
    expect(thrownBy({ tools: [tool('now'), tool(name)] })).toEqual(
      refusal('tools[1].function.name', 'invalid_request'),
    ),
  )

  it('twice the same is refused', () => {
    expect(thrownBy({ tools: [tool('now'), tool('now')] })).toEqual(
      refusal('tools[1].function.name', 'invalid_request'),
    )
  })
})

describe('schemas of arguments', () => {
  const schemaOf = (parameters?: Record<string, unknown>) =>
    translate({ tools: [tool('now', { parameters })] }).tools?.[0]?.functionDeclarations[0]
      ?.parametersJsonSchema

  it.each([
    [undefined, { type: 'object', properties: {} }],
    [{}, { type: 'object', properties: {} }],
    [
      { $schema: 'x', type: 'object', additionalProperties: false },
      { type: 'object', properties: {}, additionalProperties: false },
    ],
    [
      { type: ['object', 'null'], properties: { a: { type: ['string', 'null'], $ref: '#/$defs/a' } } },
      { type: 'object', properties: { a: { type: ['string', 'null'], $ref: '#/$defs/a' } } },
    ],
  ])('%j is sent as %j', (parameters, expected) => expect(schemaOf(parameters)).toEqual(expected))

  it('of anything but an object is refused', () => {
    expect(thrownBy({ tools: [tool('now', { parameters: { type: 'string' } })] })).toEqual(
      refusal('tools[0].function.parameters', 'invalid_request'),
    )
  })
})

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const fields = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } }
  const json = { responseMimeType: 'application/json' }

  it.each([
    [{ type: 'text' }, {}],
    [{ type: 'json_object' }, json],
    [fields, { ...json, responseJsonSchema: schema }],
    [{ type: 'json_schema', json_schema: { name: 'a' } }, json],
  ])('%j is %j', (response_format, expected) =>
    expect(configOf({ response_format })).toEqual({ maxOutputTokens: 16_384, ...expected }),
  )

  it('is refused beside tools by earlier models alone', () => {
    const both = { tools: [tool('now')], response_format: fields }
    expect(thrownBy(both)).toBe('nothing')
    expect(thrownBy({ ...both, model: lite })).toEqual(refusal('response_format'))
  })

  it('follows the flags of the model', () => {
    const flags = { json: { object: 'none', schema: 'none', with_tools: true } } as const
    expect(thrownBy({ response_format: fields }, flags)).toEqual(refusal('response_format'))
    expect(thrownBy({ response_format: { type: 'json_object' } }, flags)).toEqual(refusal('response_format'))
    const told = { object: 'instruction', schema: 'native', with_tools: true } as const
    const translated = translate({ response_format: { type: 'json_object' } }, { json: told })
    expect(translated.systemInstruction?.parts.at(-1)?.text).toContain('one valid JSON object')
    expect(translated.generationConfig).not.toHaveProperty('responseMimeType')
  })
})

describe('reasoning effort', () => {
  it.each([
    [pro, 'none', { thinkingLevel: 'MINIMAL' }],
    [pro, 'minimal', { thinkingLevel: 'MINIMAL' }],
    [pro, 'xhigh', { thinkingLevel: 'HIGH' }],
    [lite, 'none', { thinkingBudget: 0 }],
    [lite, null, undefined],
  ])('%s thinks %s as %j', (model, reasoning_effort, expected) =>
    expect(configOf({ model, reasoning_effort }).thinkingConfig).toEqual(expected),
  )

  it.each([
    [65_536, 'max', 24_576],
    [40_000, 'max', 16_384],
    [8_192, 'high', 1_024],
    [8_192, 'low', 1_024],
    [100, 'high', 0],
  ])('of %i tokens leaves half to the answer: %s is %i', (max_tokens, reasoning_effort, thinkingBudget) => {
    const config = configOf({ model: lite, max_tokens, reasoning_effort })
    expect(config).toMatchObject({ maxOutputTokens: max_tokens, thinkingConfig: { thinkingBudget } })
  })
})

it('what the vendor does not know is not sent', () => {
  const body = translate({
    ...{ user: 'ann', metadata: { a: 'b' }, store: true, service_tier: 'auto', prompt_cache_key: 'k' },
    ...{ stream_options: { include_usage: true }, novelty: 1 },
  })
  expect(Object.keys(body).sort()).toEqual(['contents', 'generationConfig', 'systemInstruction'])
  expect(body.generationConfig).toEqual({ maxOutputTokens: 16_384 })
})

describe('documents and sound', () => {
  const partsOf = (part: ContentPart) =>
    translate({ messages: [{ role: 'user', content: [part] }] }).contents[0]?.parts
  const file = (fields: object) => ({ type: 'file', file: fields })

  it.each([
    [file({ file_data: 'data:application/pdf;base64,aGk=' }), 'application/pdf'],
    [file({ file_data: 'data:text/plain;charset=utf-8;base64,aGk=' }), 'text/plain'],
    [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } }, 'audio/mp3'],
    [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }, 'audio/wav'],
  ])('are inline: %j', (part, mimeType) => {
    expect(partsOf(part)).toEqual([{ inlineData: { mimeType, data: 'aGk=' } }])
  })

  it.each([
    [file({ file_url: 'https://a.b/c.pdf' }), 'file', 'unsupported_parameter'],
    [file({ file_data: 'aGk=' }), 'file.file_data'],
    [file({ file_data: 'data:application/zip;base64,aGk=' }), 'file.file_data'],
    [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'midi' } }, 'input_audio.format'],
    [{ type: 'input_audio', input_audio: { data: '?', format: 'wav' } }, 'input_audio.data'],
  ])('are refused where they are none: %j', (part, param, problem = 'invalid_request') => {
    const expected = refusal(`messages[0].content[0].${param}`, problem)
    expect(thrownBy({ messages: [{ role: 'user', content: [part] }] })).toEqual(expected)
  })
})

it('the salt comes before the system and before the tools, whichever is read first', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ]
  const body = translate({ messages, tools: [tool('now', { description: 'The time.' }), tool('then')] })
  expect(body.systemInstruction).toEqual({ parts: [{ text: salt }, { text: 'Be brief.' }] })
  expect(body.tools?.[0]?.functionDeclarations.map(({ description }) => description)).toEqual([
    `${salt}\nThe time.`,
    undefined,
  ])
})
