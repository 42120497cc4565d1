/** What a log-in yields. */
export interface Session {
  accountId: string
  /** JWT, sent as `Authorization: Bearer`. */
  accessToken: string
  expiresAt: Date
  /** Good for one refresh; using it twice ends the session. */
  refreshToken: string
}
