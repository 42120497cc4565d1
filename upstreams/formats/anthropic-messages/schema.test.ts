import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Problem } from '../../../schema/errors.ts'
import { isRecord } from '../../../simulators/server/json.ts'
import { checkSchema } from '../../../simulators/vendors/anthropic/schemas.ts'
import { aSchema } from '../../../test/conversations/a-schema.ts'
import { narrowSchema } from './schema.ts'

const at = 'response_format.json_schema.schema'

it('closes objects all the way down, and moves into descriptions what the vendor does not enforce', () => {
  const schema = {
    type: 'object',
    title: 'Order',
    properties: {
      count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many.' },
      tags: { type: 'array', items: { type: 'object', properties: {} }, minItems: 3, uniqueItems: true },
      at: { type: 'string', format: 'date-time' },
      colour: { type: 'string', format: 'color', pattern: '^#' },
      either: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/open' }] },
    },
    $defs: { open: { type: ['object', 'null'], properties: { a: {} }, additionalProperties: true } },
  }
  expect(narrowSchema(schema, at)).toEqual({
    type: 'object',
    title: 'Order',
    properties: {
      count: { type: 'integer', description: 'How many. It must fit {"minimum":1,"maximum":9}.' },
      tags: {
        type: 'array',
        items: { type: 'object', properties: {}, additionalProperties: false },
        description: 'It must fit {"minItems":3,"uniqueItems":true}.',
      },
      at: { type: 'string', format: 'date-time' },
      colour: { type: 'string', pattern: '^#', description: 'It must fit {"format":"color"}.' },
      either: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/open' }] },
    },
    $defs: { open: { type: ['object', 'null'], properties: { a: {} }, additionalProperties: false } },
    additionalProperties: false,
  })
})

it('refuses objects of any names, by their place', () => {
  const names = { type: 'object', additionalProperties: { type: 'number' } }
  expect(() => narrowSchema({ type: 'object', properties: { names } }, at)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ param: `${at}.properties.names` }) }),
  )
})

it('of any schema the vendor takes what is left, unless it is refused by its place', () => {
  fc.assert(
    fc.property(aSchema, schema => {
      if (!isRecord(schema)) return
      try {
        checkSchema(JSON.parse(JSON.stringify(narrowSchema(schema, at))), 'schema')
      } catch (error) {
        expect(error).toBeInstanceOf(Problem)
        expect(error instanceof Problem && error.details.param?.startsWith(at)).toBe(true)
      }
    }),
  )
})
