import { Problem } from '../../../../schema/errors.ts'

const pattern = /^[a-zA-Z0-9_-]{1,128}$/

/** The name, if the vendor takes it. Throws `invalid_request`, naming `param`. */
export function requireToolName(name: string, param: string): string {
  if (pattern.test(name)) return name
  const message = 'A tool name has 1 to 128 letters, digits, _ and -.'
  throw new Problem('invalid_request', { param, message })
}
