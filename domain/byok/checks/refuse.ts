import { Problem } from '../../../schema/errors.ts'

/** Refuses a value: `param` as the graph spells it, and the rule that completes "param …". */
export function refuse(param: string, rule: string): never {
  throw new Problem('validation_failed', { param, message: `${param} ${rule}.` })
}
