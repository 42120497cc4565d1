import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameTools } from './tool-names.ts'

test('flat names are accepted by every vendor, distinct, and restored', () => {
  const name = fc.string({
    minLength: 1,
    maxLength: 50,
    unit: fc.constantFrom('a', 'B', '0', '_', '-', '.', '/', 'ä'),
  })
  const plain = fc.string({ minLength: 1, maxLength: 64, unit: fc.constantFrom('a', 'B', '_') })
  const tools = fc.uniqueArray(fc.oneof(fc.record({ name: plain }), fc.record({ name, namespace: name })), {
    selector: tool => JSON.stringify(tool),
    maxLength: 12,
  })
  fc.assert(
    fc.property(tools, given => {
      const { flatten, restore } = nameTools(given)
      const flat = given.map(flatten)
      expect(new Set(flat).size).toBe(given.length)
      for (const text of flat) expect(text).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(flat.map(restore)).toEqual(given)
    }),
  )
})

test('names that differ in lone surrogates, or in where namespace and name are divided, stay distinct', () => {
  const tools = [
    { namespace: 'a', name: '\ud800' },
    { namespace: 'a', name: '\ud801' },
    { namespace: 'a\nb', name: 'c' },
    { namespace: 'a', name: 'b\nc' },
  ]
  const { flatten, restore } = nameTools(tools)
  expect(new Set(tools.map(flatten)).size).toBe(4)
  expect(tools.map(flatten).map(restore)).toEqual(tools)
})

test('functions of two namespaces that would have the same flat name stay distinct', () => {
  const tools = [
    { namespace: 'a__b', name: 'c' },
    { namespace: 'a', name: 'b__c' },
    { namespace: 'a__', name: 'b__c' },
  ]
  const { flatten, restore } = nameTools(tools)
  expect(new Set(tools.map(flatten)).size).toBe(3)
  expect(tools.map(flatten).map(restore)).toEqual(tools)
})

test('names stay the same from turn to turn, whatever else is offered', () => {
  const route = { name: 'route', namespace: 'maps' }
  expect(nameTools([route]).flatten(route)).toBe('maps__route')
  expect(nameTools([]).flatten(route)).toBe('maps__route')
  const taken = nameTools([{ name: 'maps__route' }, route])
  expect(taken.flatten(route)).toMatch(/^maps__route_[0-9a-f]{10}$/)
  expect(taken.restore(taken.flatten(route))).toEqual(route)
  expect(taken.restore('maps__route')).toEqual({ name: 'maps__route' })
})
