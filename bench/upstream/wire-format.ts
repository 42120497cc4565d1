/** How a vendor says the same thing as the others. */
export interface WireFormat {
  /** The headers that the vendor adds to all its answers, each a line. */
  headers: readonly string[]
  whole(): object
  /** Returns the frames of a stream with `chunks` pieces of text. */
  frames(chunks: number): string[]
}
