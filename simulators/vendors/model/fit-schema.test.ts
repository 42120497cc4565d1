import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonRecord } from '../../server/json.ts'
import { aSchema } from './a-schema.ts'
import { fitSchema } from './fit-schema.ts'

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))

function expectFit(schema: Json, seed = 0): Json {
  const value = fitSchema(schema, { seed })
  const validate = ajv.compile(schema === null || typeof schema !== 'object' ? {} : schema)
  validate(value)
  expect(validate.errors, JSON.stringify({ schema, value })).toBeNull()
  return value
}

describe('fitSchema', () => {
  it('fits whatever schema is made of what it understands', () => {
    fc.assert(
      fc.property(aSchema, fc.oneof(fc.nat(3), fc.nat(0xffffffff)), (schema, seed) => {
        expectFit(schema, seed)
      }),
      { numRuns: 500 },
    )
  })

  it('is decided by schema and seed', () => {
    fc.assert(
      fc.property(aSchema, fc.nat(), (schema, seed) => {
        expect(fitSchema(schema, { seed })).toEqual(fitSchema(schema, { seed }))
      }),
      { numRuns: 100 },
    )
  })

  it('fills in optional properties too', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a'],
    }
    expect(expectFit(schema)).toHaveProperty('b')
  })

  it('ends recursive schemas, with nesting where it is optional', () => {
    const node: JsonRecord = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        children: { type: 'array', items: { $ref: '#/$defs/node' } },
      },
      required: ['name', 'next', 'children'],
      additionalProperties: false,
    }
    expect(expectFit({ $ref: '#/$defs/node', $defs: { node } })).toHaveProperty('next.name')
  })

  it('merges the parts of allOf, bounds and properties alike', () => {
    const one = { type: 'object', properties: { size: { type: 'number', minimum: 3 } }, required: ['size'] }
    const other = {
      properties: { size: { type: 'integer', maximum: 4 }, colour: { enum: ['red'] } },
      required: ['colour'],
    }
    expect(expectFit({ allOf: [one, other] })).toEqual({ size: expect.any(Number), colour: 'red' })
  })

  it('keeps to the narrowest of several bounds, on either side', () => {
    const parts: Json[] = [
      { minimum: 3, maximum: 90 },
      { type: 'integer', minimum: 5, maximum: 6 },
      { minimum: 4, maximum: 80 },
    ]
    for (const seed of [0, 1, 2]) expectFit({ allOf: parts }, seed)
    expectFit({
      allOf: [{ type: 'string', minLength: 30 }, { minLength: 10, maxLength: 30 }, { maxLength: 50 }],
    })
  })

  it('makes items that differ where they have to', () => {
    expectFit(
      { type: 'array', items: { type: 'string', maxLength: 2 }, minItems: 20, uniqueItems: true },
      4_000_000_000,
    )
    expectFit({ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }, 7)
  })

  it('follows references with escaped names, and survives those that lead nowhere or in circles', () => {
    expect(expectFit({ $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { const: 5 } } })).toBe(5)
    expect(fitSchema({ $ref: '#/nowhere' })).toBeTypeOf('string')
    expect(fitSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toBeTypeOf('string')
  })

  it('keeps a property named __proto__ a property', () => {
    const schema: Json = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    )
    expect(JSON.stringify(fitSchema(schema))).toBe('{"__proto__":1}')
  })
})
