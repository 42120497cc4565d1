import { describe, expect, it, test } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { aChatCall, assistant, result, user } from '../../../test/harness/a-chat-call.ts'
import { failureOfErrorBody, readFailure, renameParam } from './failure.ts'

const error = (message: string, code: string | null = null, param: string | null = null) => ({
  error: { message, type: 'some_error', param, code },
})
const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readFailure(
    status,
    headers,
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    aChatCall({ model: 'vendor_d/quill' }),
  )

test.each<[string, number, unknown]>([
  ['a refused credential', 401, error('Incorrect API key provided.', 'invalid_api_key')],
  ['an unpaid bill', 402, error('Payment required.')],
  ['a project that may not', 403, error('Country not supported.', 'unsupported_country_region_territory')],
  ['a model that is not there', 404, error('The model `atlas` does not exist.', 'model_not_found')],
  ['a deployment that is not there, as Azure reports it', 404, { error: { code: 'DeploymentNotFound' } }],
  ["a refused subscription, as Azure's gateway reports it", 401, { statusCode: 401, message: 'Denied.' }],
  ['a quota that is used up', 429, error('You exceeded your current quota.', 'insufficient_quota')],
  ['an address that is none', 404, '<html>404 Not Found</html>'],
])('what is ours to mend, never the fault of the client: %s', (_, status, body) => {
  expect(read(status, body)).toMatchObject({ kind: 'auth', details: { status } })
})

describe('other failures', () => {
  test.each([
    [400, 'request'],
    [409, 'request'],
    [413, 'request'],
    [415, 'request'],
    [422, 'request'],
    [408, 'timeout'],
    [504, 'timeout'],
    [429, 'busy'],
    [503, 'busy'],
    [529, 'busy'],
    [500, 'broken'],
    [502, 'broken'],
    [520, 'broken'],
  ])('%i is %s', (status, kind) => {
    expect(read(status, error('Why.'))).toMatchObject({ kind, details: { status, message: 'Why.' } })
  })

  test.each([204, 301, 302, 307, 405, 406, 410, 418, 424, 451, 499])(
    '%i, which no vendor answers to an invalid request, is not one',
    status => {
      expect(read(status, '<html>Moved</html>').kind).toBe('broken')
    },
  )

  test('say when to come back', () => {
    expect(read(429, error('Slow.'), { 'retry-after': '17' }).details.retryAfterSeconds).toBe(17)
    expect(read(429, error('Slow.')).details.retryAfterSeconds).toBeUndefined()
  })

  test('in a page instead of JSON carry its beginning, in which no secret is cut in two', () => {
    const page = `<html>${'ha '.repeat(330)}sk-0123456789 ${'ha '.repeat(20_000)}</html>`
    const { message } = read(502, page).redactFor({ apiKey: 'sk-0123456789' }).details
    expect(message).toBe(`<html>${'ha '.repeat(330)}*** `.slice(0, 1_000))
  })

  test.each(['', 'null', '[]', '"words"', '5', '{"error":null}', '{"error":{"message":5,"code":{}}}'])(
    'in another shape (%s) carry no message',
    body => {
      const { kind, details } = read(500, body)
      expect([kind, details.message || undefined, details.code]).toEqual(['broken', undefined, undefined])
    },
  )
})

test('an error under status 200 is a failure of the vendor, with its message', () => {
  expect(failureOfErrorBody(error('Sorry about that!'))).toMatchObject({
    kind: 'broken',
    details: { message: 'Sorry about that!' },
  })
})

test('a message is named by its place among those that the client sent', () => {
  // The vendor was sent a salt before it.
  const complaint = "Invalid 'messages[1].content': string too long."
  expect(read(400, error(complaint, 'invalid_value', 'messages[1].content')).details).toMatchObject({
    message: "Invalid 'messages[0].content': string too long.",
    param: 'messages[0].content',
    code: 'invalid_value',
  })
})

const image = (name: string) => ({ type: 'image_url', image_url: { url: `https://a.b/${name}.png` } })
const messages: Message[] = [
  user([image('a')]),
  assistant(null, 'a', 'b'),
  result('a', [{ type: 'text', text: 'one' }, image('b')]),
  result('b', [image('c')]),
  user('So?'),
]

describe('a parameter that the vendor names', () => {
  it.each([
    ['messages[0].content[0].image_url.url', 'messages[0].content[0].image_url.url'],
    ['messages.[1].role', 'messages[1].role'],
    ['messages[1].tool_calls[1].id', 'messages[1].tool_calls[1].id'],
    ['messages[2].content[0].text', 'messages[2].content[0].text'],
    // The images of both results follow them in a message of ours: label, image, label, image.
    ['messages[4].content[1].image_url.url', 'messages[2].content[1].image_url.url'],
    ['messages[4].content[3].image_url.url', 'messages[3].content[0].image_url.url'],
    ['messages[4].content[0].text', 'messages'],
    ['messages[5].content', 'messages[4].content'],
    ['messages[9].content', 'messages[9].content'],
    ['messages', 'messages'],
    ['tools[0].function.name', 'tools[0].function.name'],
  ])('%s is what the client knows as %s', (param, named) =>
    expect(renameParam(param, aChatCall({ model: 'vendor_a/atlas', messages }))).toBe(named),
  )

  it('is counted without the salt, alone or before other text', () => {
    const quill = (first: Message) => aChatCall({ model: 'vendor_d/quill', messages: [first, last] })
    const salted = (first: Message) => renameParam('messages[1].content[0].text', quill(first))
    const last: Message = { role: 'user', content: [{ type: 'text', text: 'a' }] }
    expect(salted({ role: 'system', content: 'Be kind.' })).toBe('messages[1].content[0].text')
    expect(salted(last)).toBe('messages[0].content[0].text')
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] }
    expect(renameParam('messages[0].content[1].text', quill(system))).toBe('messages[0].content[0].text')
  })
})
