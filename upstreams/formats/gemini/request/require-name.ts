import { Problem } from '../../../../schema/errors.ts'

const pattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

/** The name of a function, if the vendor takes it. Throws `invalid_request`, naming `param`. */
export function requireName(name: string, param: string): string {
  if (pattern.test(name)) return name
  const message = 'A tool name has 1 to 128 letters, digits, _, ., : and -, and begins with a letter or _.'
  throw new Problem('invalid_request', { param, message })
}
