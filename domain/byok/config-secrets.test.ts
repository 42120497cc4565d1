import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schema/json.ts'
import { anyConfig, openNames, secretMark, secretNames, unknownNames } from '../../test/harness/any-config.ts'
import { isHarmlessName, isSecretName, isSecretText } from './detect-secrets.ts'
import { keepSecrets } from './keep-secrets.ts'
import { parseConfig } from './parse-config.ts'
import { joinConfig, splitConfig } from './split-config.ts'

test.each(secretNames)('a field named %s holds a secret', name => expect(isSecretName(name)).toBe(true))
test.each(openNames)('a field named %s holds none', name => {
  expect([isSecretName(name), isHarmlessName(name)]).toEqual([false, true])
})
test.each(unknownNames)('a field named %s may hold one', name => expect(isHarmlessName(name)).toBe(false))

test.each([
  '-----BEGIN RSA PRIVATE KEY-----\nabc',
  'sk-ant-api03-0123456789abcdef',
  'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4eXoifQ.c2ln from them',
  'Bearer abcdefghijkl',
  'https://user:password@example.com/',
  'https://example.com/?sig=1&token=abc',
  '{"type": "service_account", "private_key": "x"}',
  '[{"deep": {"password": "x"}}]',
  `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
])('a text is a secret by its form: %#', text => expect(isSecretText(text)).toBe(true))

test.each([
  'https://ours.openai.azure.com/v1',
  'eu-west-1',
  '{"region": "eu"}',
  '{not json',
  '2024-10-21',
  '',
])('a text is none by its form: %s', text => expect(isSecretText(text)).toBe(false))

describe('any configuration', () => {
  test('shows none of its secrets, and everything else', () => {
    fc.assert(
      fc.property(anyConfig, config => {
        const shown = JSON.stringify(splitConfig(config).masked)
        expect(shown).not.toContain(secretMark)
        expect(shown).toBe(JSON.stringify(config).replaceAll(/"!SECRET!\w+"/g, '"***"'))
      }),
    )
  })

  test('is whole again when its secrets are put back', () => {
    fc.assert(
      fc.property(anyConfig, config => {
        expect(joinConfig(splitConfig(config))).toEqual(config)
      }),
    )
  })

  test('keeps every secret when it is written back as it was read, and says that they were kept', () => {
    fc.assert(
      fc.property(anyConfig, config => {
        const before = splitConfig(config)
        const { config: after, kept } = keepSecrets(before.masked, before)
        expect(after).toEqual(config)
        expect(new Set(kept)).toEqual(new Set(before.secrets))
      }),
    )
  })

  test('is taken as it is, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^\w*$/), fc.jsonValue({ maxDepth: 6 })), value => {
        const text = JSON.stringify(value)
        fc.pre(!/"(__proto__|constructor|prototype)":/.test(text))
        const config: JsonObject = JSON.parse(text)
        expect(parseConfig(config)).toEqual(config)
        expect(joinConfig(splitConfig(parseConfig(config)))).toEqual(config)
      }),
    )
  })
})

describe('a mask written back', () => {
  const before = splitConfig({
    token: 'one',
    list: [
      { name: 'a', token: 'of-a' },
      { name: 'b', token: 'of-b' },
    ],
  })
  const param = (written: JsonObject) => {
    try {
      keepSecrets(written, before)
      return undefined
    } catch (error) {
      return error instanceof Error && 'details' in error ? error.details : error
    }
  }

  test('is refused where there was no secret', () => {
    expect(param({ other_token: '***' })).toMatchObject({ param: 'configJson.other_token' })
    expect(param({ note: '***' })).toMatchObject({ param: 'configJson.note' })
    expect(param({ nested: { token: '***' } })).toMatchObject({ param: 'configJson.nested.token' })
  })

  test('is a text like any other where no secret is meant', () => {
    expect(keepSecrets({ region: '***' }, before).config).toEqual({ region: '***' })
  })

  test('is refused in a list whose items moved, since it is ambiguous which secret is meant', () => {
    const [a, b] = [
      { name: 'a', token: '***' },
      { name: 'b', token: '***' },
    ]
    expect(keepSecrets({ list: [a, b] }, before).config).toEqual({
      list: [
        { name: 'a', token: 'of-a' },
        { name: 'b', token: 'of-b' },
      ],
    })
    expect(keepSecrets({ list: [a, { name: 'b', token: 'new' }] }, before).kept).toHaveLength(1)
    for (const list of [[b, a], [b], [a, b, a], [{ name: 'c', token: '***' }, b]])
      expect(param({ list })).toMatchObject({ param: 'configJson.list' })
  })
})

test('names that reach a prototype are refused, values stay their own', () => {
  for (const name of ['__proto__', 'constructor', 'prototype'])
    expect(() => parseConfig(JSON.parse(`{"a": {"${name}": {"token": "x"}}}`))).toThrow(/configJson\.a/)
})

test.each<[string, JsonObject, RegExp]>([
  ['values', { list: Array(500).fill(true) }, /at most 500 values/],
  ['a long name', { ['n'.repeat(129)]: true }, /a name of more than 128 characters/],
  ['a name that is a secret', { 'sk-ant-api03-0123456789abcdef': true }, /looks like a secret/],
  ['length', { note: 'x'.repeat(65_536) }, /shorter than 65536/],
  ['depth', JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`), /deeper than 16/],
])('a configuration is bounded, and the error names the limit: %s', (_, config, message) => {
  expect(() => parseConfig(config)).toThrow(message)
})

test('a long text of nothing but beginnings of tokens is searched in linear time', () => {
  expect(isSecretText('eyJ-'.repeat(2_000_000))).toBe(false) // to try each beginning would take hours
})
