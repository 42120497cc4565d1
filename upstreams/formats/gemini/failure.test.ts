import { describe, expect, it } from 'vitest'
import { readFailure } from './failure.ts'

const error = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, details },
})
const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readFailure(status, headers, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))

describe('what is ours to mend', () => {
  it('a bad key, which this vendor calls a wrong request', () => {
    for (const reason of ['API_KEY_INVALID', 'API_KEY_EXPIRED']) {
      const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }
      expect(read(400, error(400, 'INVALID_ARGUMENT', 'API key not valid.', [info])).kind).toBe('auth')
    }
  })

  it('a project without billing, or in the wrong place', () => {
    expect(read(400, error(400, 'FAILED_PRECONDITION', 'User location is not supported.')).kind).toBe('auth')
  })

  it.each([401, 402, 403, 404])('%i', status => {
    expect(read(status, error(status, 'PERMISSION_DENIED', 'No')).kind).toBe('auth')
  })
})

describe('other errors', () => {
  it.each([
    [302, 'broken'],
    [400, 'request'],
    [405, 'broken'],
    [413, 'request'],
    [429, 'busy'],
    [503, 'busy'],
    [408, 'timeout'],
    [504, 'timeout'],
    [499, 'broken'],
    [500, 'broken'],
    [502, 'broken'],
  ])('%i is %s', (status, kind) => expect(read(status, error(status, 'X', 'Words')).kind).toBe(kind))

  it('carry the message of the vendor', () => {
    expect(read(400, error(400, 'INVALID_ARGUMENT', 'Bad field')).details).toMatchObject({
      status: 400,
      message: 'Bad field',
      code: undefined,
    })
    expect(read(502, '<html>Bad gateway</html>').details.message).toBe('<html>Bad gateway</html>')
  })

  it('come in a list where the request was not for a stream', () => {
    expect(read(400, [error(400, 'INVALID_ARGUMENT', 'Bad field')])).toMatchObject({
      kind: 'request',
      message: 'Bad field',
    })
  })

  it('a prompt that is too long has the code that clients know', () => {
    const message = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).'
    expect(read(400, error(400, 'INVALID_ARGUMENT', message)).details.code).toBe('context_length_exceeded')
  })
})

const retryInfo = (retryDelay: string) => [
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
]

it.each([
  ['17s', 17],
  ['0.5s', 1],
  ['soon', undefined],
])('when to come back: RetryInfo %s is %s', (retryDelay, seconds) => {
  const failure = read(429, error(429, 'RESOURCE_EXHAUSTED', 'Quota', retryInfo(retryDelay)))
  expect(failure.details.retryAfterSeconds).toBe(seconds)
})
