import fc from 'fast-check'
import type { Json, JsonRecord } from '../../simulators/server/json.ts'

const formats = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid']
const patterns = ['^[A-Z]{3}-\\d{2,4}$', '^(?:red|green)\\.(ok|no)?$', '[^a-z]x+', '^#(?<hex>[\\da-f]{6})$']

const aPlainSchema = fc.oneof(
  fc.constantFrom<JsonRecord>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, {}),
  fc.constantFrom<JsonRecord>(
    { type: 'integer', minimum: -7, maximum: 2 },
    { type: 'integer', exclusiveMinimum: 4, exclusiveMaximum: 6 },
    { type: 'number', minimum: 3 },
    { type: 'integer', maximum: -9 },
    { type: 'number', exclusiveMinimum: 1 / 7, exclusiveMaximum: 1 / 7 + 0.01 },
    { type: 'integer', minimum: 5, maximum: 60, multipleOf: 50 },
    { type: 'string', minLength: 3, maxLength: 20 },
    { type: 'string', maxLength: 0 },
    { enum: ['a', 5, null] },
    { const: false },
  ),
  fc.constantFrom(...formats).map((format): JsonRecord => ({ type: 'string', format })),
  fc.constantFrom(...patterns).map((pattern): JsonRecord => ({ type: 'string', pattern })),
)

const { schema } = fc.letrec<{ schema: JsonRecord; object: JsonRecord }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    aPlainSchema,
    tie('object'),
    fc
      .tuple(tie('schema'), fc.nat(4), fc.nat(3))
      .map(([items, minItems, more]) => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    tie('schema').map(item => ({ type: 'array', prefixItems: [item, {}], items: false })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    fc.constant<JsonRecord>({
      oneOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }, { type: 'string' }],
    }),
    tie('schema').map(inner => ({ allOf: [inner, {}] })),
  ),
  object: fc
    .tuple(fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }), fc.boolean(), fc.nat(3))
    .map(([properties, additionalProperties, minProperties]) => ({
      ...{ type: 'object', properties, required: Object.keys(properties).slice(1), additionalProperties },
      ...(additionalProperties && { minProperties }),
    })),
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
