/** Who calls the management API: a person's session, or a key of the account. */
export type Caller = SessionCaller | KeyCaller

/** A person who logged in to the console. */
export interface SessionCaller {
  kind: 'session'
  accountId: string
  userId: string
  /** The log-in that the token comes from; undefined for the token of a foreign issuer. */
  familyId?: string | undefined
}

/** A program that holds a key: `provisioning` manages the account, `key` is an ordinary one. */
export interface KeyCaller {
  kind: 'provisioning' | 'key'
  accountId: string
  keyId: string
}

/** Longer than any credential, in characters. */
const maxLength = 8192

/**
 * Reads the credential in an Authorization header, as every API does: `Bearer` in any case, one space or
 * more, and the credential. Undefined for anything else, such as two headers joined by a comma.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  const credential = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1]
  return credential !== undefined && credential.length <= maxLength ? credential : undefined
}
