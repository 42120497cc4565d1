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
