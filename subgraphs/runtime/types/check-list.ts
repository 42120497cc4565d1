import { Problem } from '../../../schema/errors.ts'

/** The most values that one argument takes: each is compared with every row. */
const maxValues = 100

/** The values of a list argument; undefined where it is left out. Throws `validation_failed` for more than 100. */
export function checkList<Value>(values: Value[] | null | undefined, param: string): Value[] | undefined {
  if (!values || values.length <= maxValues) return values ?? undefined
  const message = `${param} takes at most ${maxValues} values.`
  throw new Problem('validation_failed', { param, message })
}
