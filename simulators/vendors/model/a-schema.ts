import fc from 'fast-check'
import type { Json, JsonRecord } from '../../server/json.ts'

const bounds = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(1000))
  .map(([low, width]): [low: number, high: number] => [low, low + width])

const aNumber: fc.Arbitrary<JsonRecord> = fc.oneof(
  bounds.map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum })),
  bounds.map(([low, high]) => ({ type: 'integer', exclusiveMinimum: low, exclusiveMaximum: high + 2 })),
  bounds.map(([minimum]) => ({ type: 'number', minimum })),
  bounds.map(([maximum]) => ({ type: 'integer', maximum })),
  bounds.map(([low, high]) => ({
    type: 'number',
    exclusiveMinimum: low / 7,
    exclusiveMaximum: high / 7 + 0.01,
  })),
  fc.tuple(bounds, fc.integer({ min: 1, max: 50 })).map(([[minimum, maximum], multipleOf]) => ({
    type: 'integer',
    minimum,
    maximum: maximum + multipleOf,
    multipleOf,
  })),
)

const aString: fc.Arbitrary<JsonRecord> = fc.oneof(
  fc
    .tuple(fc.nat(40), fc.nat(20))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc
    .constantFrom('date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid')
    .map(format => ({ type: 'string', format })),
  fc
    .constantFrom(
      '^[A-Z]{3}-\\d{2,4}$',
      '^(?:red|green)\\.(ok|no)?$',
      '^\\+?[1-9]\\d*$',
      '[^a-z]x+',
      '^#(?<hex>[\\da-f]{6})$',
    )
    .map(pattern => ({ type: 'string', pattern })),
)

const plainValue = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))

const aPlainSchema: fc.Arbitrary<JsonRecord> = fc.oneof(
  aNumber,
  aString,
  fc.constantFrom<JsonRecord>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, {}),
  fc.uniqueArray(plainValue, { minLength: 1, maxLength: 5 }).map(values => ({ enum: values })),
  plainValue.map(value => ({ const: value })),
)

const { schema } = fc.letrec<{
  schema: JsonRecord
  array: JsonRecord
  object: JsonRecord
  choice: JsonRecord
}>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    aPlainSchema,
    tie('array'),
    tie('object'),
    tie('choice'),
  ),
  array: fc.oneof(
    fc
      .tuple(tie('schema'), fc.nat(4), fc.nat(3))
      .map(([items, minItems, more]) => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    fc
      .array(tie('schema'), { minLength: 1, maxLength: 3 })
      .map(prefixItems => ({ type: 'array', prefixItems, items: false })),
  ),
  object: fc
    .tuple(fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }), fc.boolean(), fc.nat(3))
    .map(([properties, additionalProperties, least]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(1),
      additionalProperties,
      ...(additionalProperties && { minProperties: least }),
    })),
  choice: fc.oneof(
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    fc.constant<JsonRecord>({
      oneOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }, { type: 'string' }],
    }),
    bounds.map(
      ([minimum, maximum]): JsonRecord => ({
        allOf: [
          { type: 'number', minimum },
          { type: 'integer', maximum },
        ],
      }),
    ),
    tie('schema').map(inner => ({ allOf: [inner, {}] })),
  ),
}))

/** An arbitrary JSON Schema of the keywords that `fitSchema` supports, partly behind references. */
export const aSchema: fc.Arbitrary<Json> = fc.oneof(
  schema,
  schema.map(inner => ({ $ref: '#/$defs/inner', $defs: { inner } })),
  schema.map(inner => ({
    type: 'object',
    properties: { first: { $ref: '#/$defs/inner' }, second: { $ref: '#/$defs/inner' } },
    required: ['second'],
    $defs: { inner },
  })),
)
