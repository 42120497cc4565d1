import { z } from 'zod'
import type { Refusal } from './exchange.ts'
import type { Json, JsonRecord } from './json.ts'

/** What is wrong with a body: the first thing that its shape does not allow, for a vendor's error to describe. */
export type Issue = z.core.$ZodIssue

/** A value that passes a check of its own, else of another type than the one expected. */
export const checked = <Value>(expected: string, check: (value: unknown) => boolean) =>
  z.custom<Value>(check, { params: { expected }, abort: true })
/** A JSON object that is taken as it is: a JSON Schema, the arguments of a call. */
export const anyRecord = checked<JsonRecord>(
  'record',
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
)
/** A value of any kind, which is not looked at. */
export const anything = z.custom<Json>().optional()

/** Reads a body by its shape, or throws what `refuse` makes of the first issue. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  body: Json | undefined,
  refuse: (issue: Issue) => Refusal,
): z.output<Shape> {
  const result = shape.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  throw refuse(innermost(firstOf(result.error.issues)))
}

/** The first issue; of an object with unknown names as well as wrong fields, the unknown name. */
function firstOf(issues: readonly Issue[]): Issue {
  const [first] = issues
  if (!first) throw new Error('a body was refused without an issue')
  const isAround = ({ path }: Issue) => path.every((part, depth) => part === first.path[depth])
  return issues.find(issue => issue.code === 'unrecognized_keys' && isAround(issue)) ?? first
}

/**
 * Of a value that fits none of several alternatives, what is wrong by the alternative of its own type; where none is
 * of that type, the issue says which types are expected.
 */
function innermost(issue: Issue): Issue {
  if (issue.code === 'custom' && typeof issue.params?.expected === 'string') {
    const { path, message, input } = issue
    return { code: 'invalid_type', expected: issue.params.expected, path, message, input }
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  for (const branch of issue.errors) {
    const inner = firstOf(branch)
    if (!isOfOtherType(inner)) return innermost({ ...inner, path: [...issue.path, ...inner.path] })
  }
  return issue
}

function isOfOtherType({ code, path, input }: Issue): boolean {
  return (
    path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && typeof input !== 'string'))
  )
}

/** The discriminating field of an object that is of none of the kinds that are allowed there. */
export function discriminatorOf(issue: Issue): { value: unknown; options: readonly unknown[] } | undefined {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return undefined
  const { input, discriminator } = issue
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, discriminator) : undefined
  return { value, options: 'options' in issue && Array.isArray(issue.options) ? issue.options : [] }
}
