import { describe, expect, it } from 'vitest'
import { readFailure } from './failure.ts'

const failureOf = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readFailure(status, headers, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))

const errorBody = (message: string, type = 'invalid_request_error') => ({
  type: 'error',
  error: { type, message },
})

describe('a refused credential', () => {
  it.each([401, 402, 403, 404])('%i is ours to mend', status => {
    expect(failureOf(status, errorBody('No.')).kind).toBe('auth')
  })

  it('an empty purse is too, whatever status it has', () => {
    expect(failureOf(400, errorBody('Your credit balance is too low to access the API.')).kind).toBe('auth')
  })
})

describe('other failures', () => {
  it.each([
    [302, 'broken'],
    [400, 'request'],
    [405, 'broken'],
    [408, 'timeout'],
    [409, 'request'],
    [413, 'request'],
    [424, 'broken'],
    [429, 'busy'],
    [500, 'broken'],
    [502, 'broken'],
    [503, 'busy'],
    [504, 'timeout'],
    [529, 'busy'],
  ])('%i is %s', (status, kind) => {
    expect(failureOf(status, errorBody('Why.'))).toMatchObject({ kind, details: { status, message: 'Why.' } })
  })

  it('say when to come back', () => {
    expect(failureOf(429, errorBody('Slow.'), { 'retry-after': '2.5' }).details.retryAfterSeconds).toBe(3)
    expect(failureOf(429, errorBody('Slow.')).details.retryAfterSeconds).toBeUndefined()
  })

  it.each([
    'prompt is too long: 200001 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'Input is too long for requested model.',
  ])('"%s" has the code that clients know', message => {
    expect(failureOf(400, errorBody(message)).details.code).toBe('context_length_exceeded')
  })

  it("read Bedrock's errors, and what is not JSON", () => {
    expect(failureOf(429, { message: 'Too many requests' }).details.message).toBe('Too many requests')
    expect(failureOf(403, { Message: 'Denied' })).toMatchObject({
      kind: 'auth',
      details: { message: 'Denied' },
    })
    expect(failureOf(502, '<html>Bad gateway</html>').details.message).toBe('<html>Bad gateway</html>')
  })
})
