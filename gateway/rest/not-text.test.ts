import { describe, expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'

const { control, person } = theControlPlane()

const logIn = { email: 'someone@example.com', password: 'correct horse' }

describe('text with U+0000 or an unpaired surrogate is refused with its parameter', () => {
  test.each<[param: string, method: string, path: string, body?: object]>([
    ['name', 'POST', '/api-keys', { name: 'a\0b' }],
    ['name', 'POST', '/api-keys', { name: '\ud800' }],
    ['ip_whitelist[0]', 'POST', '/api-keys', { name: 'a', ip_whitelist: ['\0'] }],
    ['email', 'POST', '/auth/sign-up', { ...logIn, email: 'a\0@example.com' }],
    ['password', 'POST', '/auth/sign-up', { ...logIn, password: 'correct\0horse' }],
    ['name', 'POST', '/auth/sign-up', { ...logIn, name: '\udc00' }],
    ['email', 'POST', '/auth/log-in', { ...logIn, email: 'a\0@example.com' }],
    ['password', 'POST', '/auth/log-in', { ...logIn, password: '\0' }],
    ['refresh_token', 'POST', '/auth/refresh', { refresh_token: 'rt\0' }],
    ['search', 'GET', '/models?search=%00'],
    ['model_id', 'GET', '/models/%00'],
    ['api_key_id[0]', 'GET', '/logs/requests?api_key_id=%00'],
    ['id', 'DELETE', '/byok/%00'],
  ])('%s of %s %s', async (param, method, path, body) => {
    const answer = await control.rest(method, path, { token: person.token, body })
    expect(answer.status).toBe(422)
    expect(answer.body.error).toMatchObject({ code: 'validation_failed', param })
    expect(answer.body.msg).toContain(param)
  })

  test.each([
    ['filter.models', '{ requests(filter: { models: "\\u0000" }) { nodes { id } } }'],
    ['id', '{ model(id: "\\u0000") { id } }'],
    ['name', 'mutation { createApiKey(input: { name: "a\\u0000" }) { apiKey { id } } }'],
    ['id', 'query ($id: ID! = "\\u0000") { model(id: $id) { id } }'],
  ])('%s written into %s', async (param, query) => {
    const { errors } = await control.graph(query, { token: person.token })
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`${param} must be text`) }),
    ])
    expect(errors?.[0]?.extensions).toMatchObject({ problem: 'validation_failed', param })
  })

  test('a cursor that contains U+0000', async () => {
    const after = Buffer.from('1 \0').toString('base64url')
    const answer = await control.rest('GET', `/logs/requests?after=${after}`, { token: person.token })
    expect([answer.status, answer.body.error.param]).toEqual([422, 'after'])
  })
})
