import { isText } from '../../platform/checks.ts'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { isEmail, mailDomainOf, maxEmailLength, normalizeEmail } from '../accounts/open-account.ts'

/** A person, as an issuer stated them. */
export interface Person {
  subject: string
  /** The ID of the person's session at the issuer, or null. */
  issuerSession: string | null
  /** The e-mail address in its stored form. Null if the issuer states none, or an invalid one. */
  email: string | null
  /** Whether the issuer states that it has verified the address. */
  isEmailVerified: boolean
  name: string | null
  /** The role that the claims give in the account of the person's domain. Null refuses the person there. */
  role: Role | null
}

/** The claims of a person: of the ID token, and of the userinfo endpoint if the ID token lacks some. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** Maximum length of a subject (OpenID Connect Core, 2) and of a session's ID, in characters. */
const maxIdLength = 255
const maxNameLength = 200

/** Returns the person of verified claims, or undefined if the subject is not valid. */
export function readPerson(issuer: Issuer, claims: Claims): Person | undefined {
  const subject = readIssuerId(claims.sub)
  if (subject === null) return undefined
  const email = readEmail(claims.email)
  return {
    subject,
    issuerSession: readIssuerId(claims.sid),
    email,
    isEmailVerified: email !== null && isTrue(claims[issuer.emailVerifiedClaim]),
    name: readText(claims.name, maxNameLength),
    role: roleOf(issuer, claims),
  }
}

/** Returns the account to which the settings map the domain of the person's verified address. */
export function mappedAccount(
  { accountsByDomain }: Pick<Issuer, 'accountsByDomain'>,
  { email, isEmailVerified }: Pick<Person, 'email' | 'isEmailVerified'>,
): string | undefined {
  if (!email || !isEmailVerified) return undefined
  return accountsByDomain.get(mailDomainOf(email))
}

/** Some issuers state booleans as text or numbers. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1'
}

/**
 * Returns the ID of a person (`sub`) or of a session at an issuer (`sid`), or null if it is not valid. IDs are compared
 * exactly, so they are never trimmed.
 */
export function readIssuerId(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > maxIdLength) return null
  return isText(value) ? value : null
}

function readText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || !isText(value)) return null
  const text = value.trim()
  return text !== '' && text.length <= maxLength ? text : null
}

function readEmail(value: unknown): string | null {
  const text = readText(value, maxEmailLength)
  const email = text && text.normalize('NFKC').length <= maxEmailLength ? normalizeEmail(text) : ''
  return isEmail(email) ? email : null
}

/** Returns the role of the first setting whose value the claim has. */
function roleOf({ roleClaim, roles, defaultRole = undefined }: Issuer, claims: Claims): Role | null {
  const claim = roleClaim === undefined ? undefined : claims[roleClaim]
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  return roles.find(({ value }) => values.includes(value))?.role ?? defaultRole ?? null
}
