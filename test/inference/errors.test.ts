import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf } from '../harness/invariants.ts'

const system = theEdgeSystem()

describe('bad input names the parameter and costs nothing', () => {
  const cases: [string, object, number, string | null][] = [
    ['no model', { messages: [{ role: 'user', content: 'x' }] }, 400, 'model'],
    ['no messages', { model: 'vendor_a/atlas' }, 400, 'messages'],
    ['empty messages', { model: 'vendor_a/atlas', messages: [] }, 400, 'messages'],
    [
      'a wrong role',
      { model: 'vendor_a/atlas', messages: [{ role: 'boss', content: 'x' }] },
      400,
      'messages[0].role',
    ],
    ['a hot temperature', { ...saying('x'), temperature: 2.1 }, 400, 'temperature'],
    ['top_p beyond one', { ...saying('x'), top_p: 1.5 }, 400, 'top_p'],
    ['a penalty beyond two', { ...saying('x'), presence_penalty: -3 }, 400, 'presence_penalty'],
    ['the other penalty', { ...saying('x'), frequency_penalty: 2.01 }, 400, 'frequency_penalty'],
    ['no room to answer', { ...saying('x'), max_tokens: 0 }, 400, 'max_tokens'],
    ['a seed of text', { ...saying('x'), seed: 'abc' }, 400, 'seed'],
    ['an unknown model', saying('x', 'vendor_a/no-such-model'), 404, 'model'],
    ['a model that does not chat', saying('x', 'vendor_n/herald'), 404, 'model'],
  ]
  test.each(cases)('%s', async (_, body, status, param) => {
    const client = await aClient(system)
    const response = await client.post('/chat/completions', body)
    expect(response.status).toBe(status)
    const answer = await response.json()
    expect(answer).toMatchObject({ code: status, error: { param, type: 'invalid_request_error' } })
    expect(answer.msg).toBe(answer.error.message)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect((await balanceOf(system.context.sql, client.accountId)).credits).toBe(100_000_000_000n)
  })

  test('a body that is no JSON, nests without end, or reaches for a prototype', async () => {
    const client = await aClient(system)
    for (const body of ['{', `${'['.repeat(100_000)}`, '{"__proto__": {"a": 1}, "model": "x"}']) {
      const response = await client.post('/chat/completions', body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_json' } })
    }
  })

  test('an address that is not there, and a method that it does not take', async () => {
    const client = await aClient(system)
    expect((await client.post('/no-such', {})).status).toBe(404)
    expect((await fetch(`${system.baseURL}/chat/completions`)).status).toBe(405)
  })
})

describe('each class of error reaches the OpenAI SDK as its own', () => {
  test('402: the balance is used up', async () => {
    const { openai } = await aClient(system, { creditNanos: 10n })
    const error = await failure(openai.chat.completions.create(saying('Hi')))
    expect(error).toMatchObject({ status: 402, code: 'insufficient_credits' })
  })
  test('402: the cap is used up', async () => {
    const { openai } = await aClient(system, { limitNanos: 10n })
    expect(await failure(openai.chat.completions.create(saying('Hi')))).toMatchObject({
      status: 402,
      code: 'credit_limit_reached',
    })
  })
  test('403: disabled, expired, from elsewhere, a provisioning key', async () => {
    const refused: [Parameters<typeof aClient>[1], string][] = [
      [{ disabled: true }, 'key_disabled'],
      [{ expiresAt: new Date(Date.now() - 1000) }, 'key_expired'],
      [{ ipWhitelist: ['10.0.0.0/8'] }, 'ip_not_allowed'],
      [{ isProvisioning: true }, 'provisioning_key_refused'],
    ]
    for (const [options, code] of refused) {
      const { openai } = await aClient(system, options)
      const error = await failure(openai.chat.completions.create(saying('Hi')))
      expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
      expect(error).toMatchObject({ code })
    }
  })
  test('429: the rate, with Retry-After and what is left', async () => {
    const { openai } = await aClient(system, { rpm: 1 })
    await openai.chat.completions.create(saying('Hi'))
    const error = await failure(openai.chat.completions.create(saying('Hi')))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(error.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(error.headers.get('x-ratelimit-limit-requests')).toBe('1')
  })

  test('5xx: the vendor failed, which costs nothing', async () => {
    const { openai, accountId } = await aClient(system)
    for (const stream of [false, true]) {
      const asked = { ...saying('Hi [[fault: 500]]'), stream }
      const error = await failure(openai.chat.completions.create(asked, { maxRetries: 0 }))
      expect(error).toBeInstanceOf(OpenAI.InternalServerError)
      expect(error).toMatchObject({ status: 502, code: 'upstream_error' })
    }
    const untouched = { credits: 100_000_000_000n, in_use: 0n }
    expect(await balanceOf(system.context.sql, accountId)).toMatchObject(untouched)
  })
})

async function failure(
  promise: Promise<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError> & { headers: Headers }> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof OpenAI.APIError) || !error.headers)
    throw new Error(`expected an API error, got ${error}`)
  return Object.assign(error, { headers: error.headers })
}
