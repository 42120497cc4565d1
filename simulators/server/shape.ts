import { z } from 'zod'
import type { Refusal } from './exchange.ts'
import type { Json, JsonRecord } from './json.ts'

/** The first mismatch between a body and its shape. Each vendor phrases it as its own error. */
export interface Mismatch {
  /** `bound` is a number, a length or a count outside its limits; `rule` is a check with its own message. */
  readonly kind: 'unknown' | 'missing' | 'type' | 'choice' | 'bound' | 'rule'
  readonly path: readonly PropertyKey[]
  readonly value: unknown
  /** The type that a mismatch of kind `type` expects. */
  readonly expected: string
  readonly choices: readonly unknown[]
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly message: string
  /** Whether the message is the whole error, so that it names no field. */
  readonly isWhole: boolean
}

/** A value that `check` accepts; any other value has the wrong type. */
export const checked = <Value>(expected: string, check: (value: unknown) => boolean) =>
  z.custom<Value>(check, { params: { expected }, abort: true })
/** Any JSON object: a JSON Schema, the arguments of a call. */
export const anyRecord = checked<JsonRecord>(
  'object',
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
)
/** Any value, which the simulator ignores. */
export const anything = z.custom<Json>().optional()
/** An object with a `type`, and no fields other than these. */
export const tagged = <Name extends string, Fields extends z.ZodRawShape>(type: Name, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields })
/** An object, or one of several, chosen by its `type`. */
export const oneOf = <
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(
  ...options: Options
) => z.discriminatedUnion('type', options)

/** Parses a body by its shape. Throws the error that `refuse` makes of the first mismatch. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  body: Json | undefined,
  refuse: (mismatch: Mismatch) => Refusal,
): z.output<Shape> {
  const result = shape.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  throw refuse(mismatchOf(innermost(firstOf(result.error.issues))))
}

type Issue = z.core.$ZodIssue

/** Returns the first issue. If the same object also has unknown fields, these come first. */
function firstOf(issues: readonly Issue[]): Issue {
  const [first] = issues
  if (!first) throw new Error('A parse failed without an issue.')
  const isAround = ({ path }: Issue) => path.every((part, depth) => part === first.path[depth])
  return issues.find(issue => issue.code === 'unrecognized_keys' && isAround(issue)) ?? first
}

/** Replaces the issue of a union by the issue of the alternative that has the value's type. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue
  for (const branch of issue.errors) {
    const inner = firstOf(branch)
    const isOtherType = inner.path.length === 0 && kindOf(inner) === 'type'
    if (!isOtherType) return innermost({ ...inner, path: [...issue.path, ...inner.path] })
  }
  return issue
}

function mismatchOf(issue: Issue): Mismatch {
  const { path, input: value, message } = issue
  const params = issue.code === 'custom' ? issue.params : undefined
  const mismatch: Mismatch = {
    ...{ kind: kindOf(issue), path, value, message, choices: [], isWhole: params?.isWhole === true },
    ...{ minimum: undefined, maximum: undefined, expected: String(params?.expected ?? 'string or array') },
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return { ...mismatch, path: [...path, issue.keys[0] ?? ''] }
    case 'invalid_type':
      return { ...mismatch, expected: issue.expected }
    case 'invalid_value':
      return { ...mismatch, choices: issue.values, expected: 'string' }
    case 'too_small':
      return { ...mismatch, minimum: Number(issue.minimum) }
    case 'too_big':
      return { ...mismatch, maximum: Number(issue.maximum) }
    case 'invalid_union':
      return issue.discriminator === undefined ? mismatch : tagMismatch(mismatch, issue)
    default:
      return mismatch
  }
}

/** The mismatch of an object whose discriminating field names none of the alternatives. */
function tagMismatch(mismatch: Mismatch, issue: z.core.$ZodIssueInvalidUnion): Mismatch {
  const name = issue.discriminator ?? 'type'
  const { value: object } = mismatch
  const value = typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
  const kind = value == null ? 'missing' : typeof value === 'string' ? 'choice' : 'type'
  const choices = 'options' in issue && Array.isArray(issue.options) ? issue.options : []
  return { ...mismatch, kind, value, choices, expected: 'string' }
}

function kindOf({ code, input, ...issue }: Issue): Mismatch['kind'] {
  if (code === 'unrecognized_keys') return 'unknown'
  if (input == null && code !== 'custom') return 'missing'
  if (code === 'invalid_value') return typeof input === 'string' ? 'choice' : 'type'
  if (code === 'too_small' || code === 'too_big') return 'bound'
  if (code === 'custom' && 'params' in issue && issue.params?.expected)
    return input == null ? 'missing' : 'type'
  return code === 'invalid_type' || code === 'invalid_union' ? 'type' : 'rule'
}
