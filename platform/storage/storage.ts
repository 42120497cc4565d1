import type { Readable } from 'node:stream'

/** A place for files by name: a folder, or a bucket. Names are `a/b/c.ext`, of letters, digits, `-` and `/`. */
export interface Storage {
  /**
   * Writes a file, streamed. Rejects where the source fails or the file could not be stored whole; a part of it may then
   * be there.
   */
  write(name: string, source: Readable, file: { contentType: string }): Promise<void>
  /** Reads a file, or bytes `first` to `last` of it. Rejects with FileMissing where there is none. */
  read(name: string, range?: ByteRange): Promise<Readable>
  /** Returns whether there is a file. */
  has(name: string): Promise<boolean>
  /** Lists the names of the files under a prefix that ends with `/`. */
  list(prefix: string): AsyncIterable<string>
  /** Removes a file, if there is one. */
  remove(name: string): Promise<void>
  /**
   * Configures the storage to delete the objects of these prefixes after `days`. Resolves to whether it will: a folder
   * cannot, and a bucket only if its service supports rules and its key may set them.
   */
  expireAfter(days: number, prefixes: readonly string[]): Promise<boolean>
  close(): void
}

/** Both ends count. */
export interface ByteRange {
  first: number
  last: number
}

/** There is no file of that name. */
export class FileMissing extends Error {
  constructor(name: string, cause?: unknown) {
    super(`there is no file ${name}`, { cause })
    this.name = 'FileMissing'
  }
}
