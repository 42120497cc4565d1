import { beforeAll, describe, expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { startControl } from '../start-control.ts'

const { control, person } = theControlPlane()

beforeAll(async () => {
  await control.graph('mutation { createApiKey(input: { name: "mine" }) { apiKey { id } } }', {
    token: person.token,
  })
  const catalogue = await theCatalogue()
  await applyCatalogue(control.context, catalogue)
})

/** A control plane over the same database, with one subgraph at a URL where nothing listens. */
async function aPlaneWithout(name: string) {
  const subgraphUrls = new Map([[name, 'http://127.0.0.1:1/']])
  const plane = forThisTest(await startControl({ ...control.config, subgraphUrls }))
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${person.token}` }
  return {
    ask: async (query: string) => {
      const request = { method: 'POST', headers, body: JSON.stringify({ query }) }
      return (await fetch(`${plane.url}/graphql`, request)).json()
    },
    rest: async (path: string) => {
      const answer = await fetch(`${plane.url}/api/v1${path}`, { headers })
      return [answer.status, (await answer.json()).error?.code]
    },
  }
}

const everything = `{ me {
  name balance { available } byokCredentials { id } apiKeys { name usage { requests } }
} }`
const whole = {
  name: expect.any(String),
  balance: { available: '0' },
  byokCredentials: [],
  apiKeys: [{ name: 'mine', usage: { requests: 0 } }],
}

describe('an unavailable subgraph makes only its own field null, with an error', () => {
  test.each([
    ['billing', { ...whole, balance: null }, '/billing/balance', ['me', 'balance']],
    ['byok', { ...whole, byokCredentials: null }, '/byok', ['me', 'byokCredentials']],
    ['keys', { ...whole, apiKeys: null }, '/api-keys', ['me', 'apiKeys']],
    [
      'usage',
      { ...whole, apiKeys: [{ name: 'mine', usage: null }] },
      '/usage',
      ['me', 'apiKeys', 0, 'usage'],
    ],
  ])('%s', async (name, me, path, field) => {
    const { ask, rest } = await aPlaneWithout(name)
    const { data, errors } = await ask(everything)
    expect(data).toEqual({ me })
    expect(errors).toHaveLength(1)
    const extensions = { code: 'INTERNAL_SERVER_ERROR', problem: 'unavailable' }
    expect(errors[0]).toMatchObject({ path: field, extensions })
    expect(await rest(path)).toEqual([503, 'unavailable'])
    expect(await rest('/me')).toEqual([200, undefined])
  })

  test('pricing', async () => {
    const { ask, rest } = await aPlaneWithout('pricing')
    const { data, errors } = await ask('{ model(id: "vendor_a/atlas") { inferenceId pricing { unit } } }')
    expect(data).toEqual({ model: { inferenceId: 'vendor_a/atlas', pricing: null } })
    expect(errors[0].extensions.problem).toBe('unavailable')
    expect(await rest('/pricing')).toEqual([503, 'unavailable'])
    expect((await rest('/models'))[0]).toBe(200)
  })

  test('models', async () => {
    const { ask, rest } = await aPlaneWithout('models')
    const { data, errors } = await ask('{ me { name } model(id: "vendor_a/atlas") { inferenceId } }')
    expect(data).toEqual({ me: { name: whole.name }, model: null })
    expect(errors[0].extensions.problem).toBe('unavailable')
    expect(await rest('/models')).toEqual([503, 'unavailable'])
  })
})

test('if `me` cannot be resolved, data is null: no response violates the schema', async () => {
  const { ask, rest } = await aPlaneWithout('accounts')
  const { data, errors } = await ask('{ me { name } transactions { totalCount } }')
  expect(data).toBeNull()
  expect(errors[0].extensions.problem).toBe('unavailable')
  expect(await rest('/me')).toEqual([503, 'unavailable'])
  expect((await rest('/billing/transactions'))[0]).toBe(200)
})

test('each field of a subgraph that is down has an error at its own path, by the names of the document', async () => {
  const { ask } = await aPlaneWithout('billing')
  const { errors } = await ask(
    '{ me { money: balance { available } } again: me { balance { held } } paid: topUps { totalCount } transactions { totalCount } }',
  )
  const paths = errors.map(({ path }: { path: string[] }) => path.join('.'))
  expect(paths.sort()).toEqual(['again.balance', 'me.money', 'paid', 'transactions'])
})

test('an unknown ID makes only its own field null', async () => {
  const id = '0190a8c0-0000-7000-8000-000000000001'
  const { data, errors } = await control.graph(
    `{ me { id } apiKey(id: "${id}") { id } model(id: "x") { id } request(id: "x") { id } byokCredential(id: "${id}") { id } }`,
    { token: person.token },
  )
  const none = { apiKey: null, model: null, request: null, byokCredential: null }
  expect(data).toEqual({ me: { id: person.accountId }, ...none })
  const problems = ['credential_not_found', 'key_not_found', 'model_not_found', 'not_found']
  expect(errors?.map(({ extensions }) => extensions.problem).sort()).toEqual(problems)
})
