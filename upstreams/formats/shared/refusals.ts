import { Problem } from '../../../schema/errors.ts'

/** Returns the refusal of an invalid value, `invalid_request`. */
export function invalid(param: string, message: string): Problem {
  return new Problem('invalid_request', { param, message })
}

/** Returns the refusal of a value that the model or its vendor does not support, `unsupported_parameter`. */
export function unsupported(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
