import { Problem } from '../../schema/errors.ts'

export interface SignUp {
  email: string
  password: string
  /** What the account is called; the e-mail unless given. */
  name?: string | null | undefined
}

/** No e-mail address is longer (RFC 5321). */
const maxEmailLength = 254

/** Without blanks, and without characters that nobody sees. */
const emailShape = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@.\p{C}]+$/u

/** Nothing that can be seen. */
const blank = /^[\s\p{C}]*$/u

/**
 * Checks what a person signs up with; answers it with the e-mail as it is kept.
 * Throws `validation_failed` naming the parameter.
 */
export function checkSignUp({ email, password, name }: SignUp): Required<SignUp> & { name: string } {
  const address = knownEmail(email)
  if (!emailShape.test(address)) refuse('email', 'email must be an e-mail address.')
  if (password.length < 8 || password.length > 200)
    refuse('password', 'password must have 8 to 200 characters.')
  if (blank.test(password)) refuse('password', 'password must not be blank.')
  const label = name?.trim() || address
  if (label.length > 200) refuse('name', 'name must have at most 200 characters.')
  return { email: address, password, name: label }
}

/**
 * An e-mail as it is kept: in compatibility form (NFKC), without blanks around it, in lower case; so two that look the
 * same are the same. Throws `validation_failed` for one that is longer than any can be.
 */
export function knownEmail(email: string): string {
  const known = email.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
  if (known.length > maxEmailLength) refuse('email', `email must have at most ${maxEmailLength} characters.`)
  return known
}

function refuse(param: string, message: string): never {
  throw new Problem('validation_failed', { param, message })
}
