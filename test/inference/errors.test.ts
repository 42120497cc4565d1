import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf } from '../harness/invariants.ts'

const system = theEdgeSystem()

describe('bad input names the parameter and costs nothing', () => {
  const cases: [string, object, number, string | null][] = [
    ['empty messages', { model: 'vendor_a/atlas', messages: [] }, 400, 'messages'],
    [
      'a role',
      { model: 'vendor_a/atlas', messages: [{ role: 'boss', content: 'x' }] },
      400,
      'messages[0].role',
    ],
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
  test.each<[code: string, status: number, options: Parameters<typeof aClient>[1]]>([
    ['insufficient_credits', 402, { creditNanos: 10n }],
    ['credit_limit_reached', 402, { limitNanos: 10n }],
    ['key_disabled', 403, { disabled: true }],
    ['key_expired', 403, { expiresAt: new Date(0) }],
    ['ip_not_allowed', 403, { ipWhitelist: ['10.0.0.0/8'] }],
    ['provisioning_key_refused', 403, { isProvisioning: true }],
  ])('%s is %i', async (code, status, options) => {
    const { openai } = await aClient(system, options)
    const error = await openai.chat.completions.create(saying('Hi')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status, code })
    expect(error instanceof OpenAI.PermissionDeniedError).toBe(status === 403)
  })
})
