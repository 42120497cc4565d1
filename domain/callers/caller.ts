import type { Role } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import type { Operator } from './operators.ts'

/** The caller of the management API: a user's session, a key of the account, or an operator's view of it. */
export type Caller = SessionCaller | ProvisioningCaller | KeyCaller | ViewCaller

/** A user who has logged in to an account. */
export interface SessionCaller {
  kind: 'session'
  accountId: string
  userId: string
  /** The user's role in the account, as of this request. */
  role: Role
  /** The ID of the session; undefined for a token of a foreign issuer. */
  familyId?: string | undefined
  /**
   * When the user last proved their identity, in milliseconds since 1970; undefined for a token of a foreign issuer.
   */
  confirmedAtMs?: number | undefined
  /** Whether the account requires a second factor and the user has none. */
  lacksSecondFactor?: boolean | undefined
}

/** A program with a provisioning key, which manages the account within its scopes. */
export interface ProvisioningCaller {
  kind: 'provisioning'
  accountId: string
  keyId: string
  scopes: readonly KeyScope[]
}

/** A program with an ordinary API key. */
export interface KeyCaller {
  kind: 'key'
  accountId: string
  keyId: string
}

/** An operator who reads the account as its members see it. */
export interface ViewCaller {
  kind: 'view'
  accountId: string
  /** The operator who opened the view. */
  operator: Operator
}

/** Returns the ID of the key that calls; undefined for other callers. */
export function callingKeyOf(caller: Caller): string | undefined {
  return caller.kind === 'key' || caller.kind === 'provisioning' ? caller.keyId : undefined
}

/**
 * Returns whether the caller can read the requests, tasks and usage of a key. Sessions, provisioning keys, views and operators
 * can read every key of the account. Ordinary keys can read only their own.
 */
export function mayReadKey(caller: Caller, keyId: string): boolean {
  return caller.kind !== 'key' || caller.keyId === keyId
}

/** Maximum length of a bearer token, in characters. No valid token is that long. */
const maxLength = 8192

/**
 * Reads the bearer token from an `Authorization` header: `Bearer` in upper or lower case, one or more spaces, and the
 * token. Returns undefined for any other value, such as two headers joined by a comma.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  const token = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1]
  return token !== undefined && token.length <= maxLength ? token : undefined
}
