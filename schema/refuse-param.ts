import { Problem } from './errors.ts'

/**
 * Refuses a parameter of the graph and of `/api/v1`. `rule` follows its name in the message, such as `must not be empty`.
 * Throws `validation_failed`.
 */
export function refuseParam(param: string, rule: string): never {
  throw new Problem('validation_failed', { param, message: `${param} ${rule}.` })
}

/** Returns the refusal of a parameter of `/v1`, `invalid_request`. `rule` follows its name in the message. */
export function invalidParam(param: string, rule: string): Problem {
  return new Problem('invalid_request', { param, message: `${param} ${rule}.` })
}

/** Returns the refusal of a request of `/v1` without a required parameter, `missing_parameter`. */
export function missingParam(param: string): Problem {
  return new Problem('missing_parameter', { param, message: `${param} is required.` })
}
