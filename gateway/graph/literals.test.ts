import { expect, test } from 'vitest'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(aControlPlane)
const person = perFile(() => control.aPerson())

const create = (input: string) => `mutation { createApiKey(input: ${input}) { apiKey { id } } }`

test.each([
  ['text that is a number', create('{ name: 5 }'), ['name']],
  ['text that cannot be stored', create('{ name: "a\\u0000" }'), ['name']],
  ['several faults', create('{ ipWhitelist: ["1.2.3.4", 5], foo: 1 }'), ['foo', 'ipWhitelist[1]', 'name']],
  ['a scalar', create('{ name: "x", creditLimit: "much" }'), ['creditLimit']],
  ['a list in place of a scalar', create('{ name: "x", creditLimit: [1] }'), ['creditLimit']],
  ['a time', '{ requests(filter: { since: "soon" }) { totalCount } }', ['filter.since']],
  ['a word', '{ models(filter: { modalities: [CHAT, NOPE] }) { totalCount } }', ['filter.modalities[1]']],
  ['a missing argument', '{ apiKey { id } }', ['id']],
  ['an unknown argument', '{ apiKeys(count: 3) { totalCount } }', ['count']],
  [
    'a default',
    'query ($since: DateTime = "soon") { requests(filter: { since: $since }) { totalCount } }',
    ['since'],
  ],
])('an invalid literal value names its parameter, like a variable: %s', async (_, query, params) => {
  const { data, errors } = await control.graph(query, { token: person.token })
  expect(data).toBeFalsy()
  expect(errors?.map(({ extensions }) => extensions.param).sort()).toEqual(params)
  for (const { extensions } of errors ?? [])
    expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', problem: 'validation_failed' })
})

test('valid literal values of every scalar are accepted', async () => {
  const key = create(
    '{ name: "x", creditLimit: "1.5", rateLimitTpd: 9007199254740991, expiresAt: "2999-01-01T00:00:00Z" }',
  )
  for (const query of [
    key,
    key.replace('"1.5"', '1.5'),
    '{ requests(filter: { since: null }) { totalCount } }',
  ])
    expect((await control.graph(query, { token: person.token })).errors).toBeUndefined()
})
