import { Problem } from '../../../../schema/errors.ts'

const pattern = /^[a-zA-Z0-9_-]{1,64}$/

/** Refuses a name that the vendor does not take: it would refuse it too, and half as many characters as others do. */
export function requireToolName(name: string, param: string): void {
  if (pattern.test(name)) return
  const message = 'A tool name has 1 to 64 letters, digits, _ and -.'
  throw new Problem('invalid_request', { param, message })
}
