import { z } from 'zod'
import type { Refusal } from './exchange.ts'
import { isRecord, type Json, type JsonRecord } from './json.ts'

/** The first fault of a body. Each vendor presents it as its own error. */
export interface Mismatch {
  readonly kind: 'unknown' | 'missing' | 'choice' | 'value'
  readonly path: readonly PropertyKey[]
  readonly value: unknown
  readonly message: string
}

/** A rule across fields: the parameter at fault, the message, and whether a request breaks the rule. */
export type Rule<Request> = readonly [param: string, message: string, isBroken: (request: Request) => unknown]

/** Any JSON object: a JSON Schema, the arguments of a call. */
export const anyRecord = z.custom<JsonRecord>(value => isRecord(value as Json), 'Input should be an object')
/** Any value, which the simulator ignores. */
export const anything = z.custom<Json>().optional()
export const boolean = z.boolean().nullish()
export const text = (maxLength = Infinity) => z.string().max(maxLength).nullish()
export const decimal = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum).nullish()
export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z.int().min(minimum).max(maximum).nullish()
export const choice = <const Values extends readonly string[]>(...values: Values) => z.enum(values).nullish()
/** An object with a `type`, and no fields other than these. */
export const tagged = <Name extends string, Fields extends z.ZodRawShape>(type: Name, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields })
/** An object, or one of several, chosen by its `type`. */
export const oneOf = <
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(
  ...options: Options
) => z.discriminatedUnion('type', options)
/** A list, or a string, which `expand` converts to a list. */
export const listOrText = <List extends z.ZodType>(list: List, expand: (text: string) => unknown[]) =>
  z.preprocess(value => (typeof value === 'string' ? expand(value) : value), list)

/** Parses a body by its shape. Throws the error that `refuse` makes of the first mismatch. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  body: Json | undefined,
  refuse: (mismatch: Mismatch) => Refusal,
): z.output<Shape> {
  const result = shape.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw issue ? refuse(mismatchOf(issue)) : result.error
}

/** Throws the error that `refuse` makes of the first rule that the request breaks. */
export function checkRules<Request>(
  request: Request,
  rules: readonly Rule<Request>[],
  refuse: (message: string, param: string) => Refusal,
): void {
  const broken = rules.find(([, , isBroken]) => isBroken(request))
  if (broken) throw refuse(broken[1], broken[0])
}

function mismatchOf(issue: z.core.$ZodIssue): Mismatch {
  const { code, path, message, input } = issue
  if (code === 'unrecognized_keys')
    return { kind: 'unknown', path: [...path, issue.keys[0] ?? ''], value: undefined, message }
  const isTag = code === 'invalid_union' && issue.discriminator !== undefined
  const value = isTag ? Reflect.get(Object(input), issue.discriminator ?? '') : input
  const isMissing = value === undefined || (value === null && code !== 'custom')
  const kind = isMissing ? 'missing' : isTag || code === 'invalid_value' ? 'choice' : 'value'
  return { kind, path, value, message }
}
