/** The limits of a control plane that suit every deployment. Tests pass other values to `startControl`. */
export interface ControlLimits {
  /** Maximum time for which a client reads nothing of an export, in milliseconds. Its unread page occupies memory. */
  stalledReaderMs: number
  /** Maximum depth of a GraphQL document. Each level multiplies the number of objects that a document can select. */
  graphMaxDepth: number
  /** Maximum number of lexical tokens in a GraphQL document. It bounds the time to parse and plan it. */
  graphMaxTokens: number
}

export const controlLimits: Readonly<ControlLimits> = {
  stalledReaderMs: 30_000,
  graphMaxDepth: 12,
  graphMaxTokens: 2_000,
}
