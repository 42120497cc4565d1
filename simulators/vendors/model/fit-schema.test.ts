import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aSchema } from '../../../test/conversations/a-schema.ts'
import type { Json, JsonRecord } from '../../server/json.ts'
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
  it('returns values that are valid for any supported schema', () => {
    fc.assert(
      fc.property(aSchema, fc.oneof(fc.nat(3), fc.nat(0xffffffff)), (schema, seed) => {
        expectFit(schema, seed)
      }),
      { numRuns: 500 },
    )
  })

  it('ends recursive schemas', () => {
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

  it('resolves escaped references, and accepts broken and circular ones', () => {
    expect(expectFit({ $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { const: 5 } } })).toBe(5)
    expect(fitSchema({ $ref: '#/nowhere' })).toBeTypeOf('string')
    expect(fitSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toBeTypeOf('string')
  })

  it('treats __proto__ as an ordinary property', () => {
    const schema: Json = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    )
    expect(JSON.stringify(fitSchema(schema))).toBe('{"__proto__":1}')
  })
})
