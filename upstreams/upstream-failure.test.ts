import { describe, expect, test } from 'vitest'
import { Secrets } from '../platform/secrets/redact-secrets.ts'
import { problemOf, UpstreamFailure } from './upstream-failure.ts'

const own = {
  byokId: 'own',
  apiKey: 'sk-0123456789',
  secrets: new Secrets(['sk-0123456789', 'wJalrXUtnFEMI/K7MDENG']),
}

describe('the failure of a call with a credential', () => {
  test('repeats none of its secrets, to the client or to the log', () => {
    const message = 'refused: x-api-key sk-0123456789, secret "wJalrXUtnFEMI/K7MDENG"'
    const code = 'no_sk-0123456789'
    for (const kind of ['auth', 'request', 'broken'] as const) {
      const failure = new UpstreamFailure(kind, { status: 401, message, code, param: code }).redactFor(own)
      const problem = problemOf(failure)
      expect(problem.message).toContain('refused: x-api-key ***, secret "***"')
      const everything = JSON.stringify([failure, failure.message, failure.stack, problem, problem.message])
      expect(everything).not.toMatch(/0123456789|wJalrXUtnFEMI/)
    }
  })

  test('without an API key blanks nothing else', () => {
    const failure = new UpstreamFailure('auth', { message: 'no key' }).redactFor({
      byokId: 'own',
      apiKey: '',
    })
    expect(failure.message).toBe('no key')
  })
})

test("what the client gets: for its own credential the vendor's message, for the platform's ours", () => {
  const failure = new UpstreamFailure('auth', { status: 401, message: 'Key expired.' })
  expect(problemOf(failure.redactFor(own)).message).toBe(
    'The vendor answered your own credential: Key expired.',
  )
  expect(problemOf(failure)).toMatchObject({ status: 502, code: 'upstream_auth' })
  expect(problemOf(failure).message).not.toContain('expired')
})
