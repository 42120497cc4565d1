/** Who calls the management side: a person's session, or a key of the account. */
export type Caller = SessionCaller | KeyCaller

/** A person who logged in to the console. */
export interface SessionCaller {
  kind: 'session'
  accountId: string
  userId: string
  /** The log-in that the token comes from. A foreign issuer's token names none. */
  familyId?: string | undefined
}

/** A program that holds a key: `provisioning` manages the account, `key` is an ordinary one. */
export interface KeyCaller {
  kind: 'provisioning' | 'key'
  accountId: string
  keyId: string
}

/** Longer than any credential of ours. */
const maxLength = 8192

/**
 * The credential that an Authorization header carries, by the one rule of every entry point: `Bearer`, in any case, one blank
 * or more, and the credential. Undefined for anything else, such as two headers in one.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  const credential = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1]
  return credential !== undefined && credential.length <= maxLength ? credential : undefined
}
