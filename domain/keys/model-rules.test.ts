import { expect, test } from 'vitest'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { compileModelRules } from './model-rules.ts'

const entry = { ...aChatEntry('vendor_a/atlas'), known_as: ['openai/atlas', 'atlas-latest'] }
const vendor = { label: 'vendor_a', name: 'A', aliases: ['openai'], adapter: 'openai-chat' } as const

const refusedBy = (models: string[], vendors: string[] = []) =>
  compileModelRules(models, vendors)?.refusedBy(entry, { ...vendor, aliases: [...vendor.aliases] })

test('a key without lists has no rules', () => {
  expect(compileModelRules([], [])).toBeUndefined()
})

test.each([
  ['vendor_a/atlas'],
  ['vendor_a/*'],
  ['openai/*'],
  ['atlas-latest'],
  ['*'],
  ['v*_a/*tl*s'],
  ['vendor_a/atlas*'],
])('%s allows vendor_a/atlas by its ID or an alias', pattern => {
  expect(refusedBy([pattern])).toBeUndefined()
  expect(refusedBy(['vendor_b/*', pattern])).toBeUndefined()
})

test.each([
  ['vendor_b/*'],
  ['atlas'],
  ['vendor_a/atlas-*'],
  ['*atlas*atlas*'],
  ['vendor_a/atl*tlas'],
  ['VENDOR_A/*'],
])('%s refuses vendor_a/atlas', pattern => {
  expect(refusedBy([pattern])).toBe('allowed_models')
})

test('both lists must include a model, vendors by label or alias', () => {
  for (const name of ['vendor_a', 'openai', 'open*']) expect(refusedBy(['*'], [name])).toBeUndefined()
  expect(refusedBy([], ['vendor_b'])).toBe('allowed_vendors')
  expect(refusedBy(['vendor_b/*'], ['vendor_a'])).toBe('allowed_models')
})

test('the longest pattern of stars is matched in linear time', () => {
  const name = 'a'.repeat(100_000)
  const long = { ...entry, model: name }
  const startedAt = performance.now()
  const rules = compileModelRules([`${'a*'.repeat(99)}b`], [])
  expect(rules?.refusedBy(long, undefined)).toBe('allowed_models')
  expect(performance.now() - startedAt).toBeLessThan(5_000) // with backtracking, it would not end
})

test('keys with the same lists share their compiled rules, of which the longest lists keep few', () => {
  const rules = compileModelRules(['a/*'], ['b'])
  expect(compileModelRules(['a/*'], ['b'])).toBe(rules)
  const longest = (key: number) => Array.from({ length: 50 }, (_, at) => `${key}-${at}`.padEnd(200, '*'))
  for (let key = 0; key < 400; key++) compileModelRules(longest(key), longest(key))
  expect(compileModelRules(['a/*'], ['b'])).not.toBe(rules)
})
