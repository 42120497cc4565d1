/** How a vendor says the same thing as the others. */
export interface WireFormat {
  /** The headers that the vendor adds to all its answers, each a line. */
  headers: readonly string[]
  whole(): object
  /** A stream as its frames, with so many pieces of text in it. */
  frames(chunks: number): string[]
}
