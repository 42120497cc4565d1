import type { Readable } from 'node:stream'

/**
 * Storage of files by name: a folder or a bucket. Names look like `a/b/c.ext` and consist of letters, digits, `-`, `.`
 * and `/`.
 */
export interface Storage {
  /**
   * Writes a file from a stream. Rejects if the source fails or the file cannot be stored completely. A part of it may
   * then be stored.
   */
  write(name: string, source: Readable, file: { contentType: string }): Promise<void>
  /** Reads a file, or bytes `first` to `last` of it. Rejects with FileMissing if it does not exist. */
  read(name: string, range?: ByteRange): Promise<Readable>
  /** Resolves to whether a file exists. */
  has(name: string): Promise<boolean>
  /** Lists the names of the files under a prefix that ends with `/`. */
  list(prefix: string): AsyncIterable<string>
  /** Deletes a file if it exists. */
  remove(name: string): Promise<void>
  /**
   * Configures the storage to delete the objects of these prefixes after `days`. Resolves to whether it will. A folder
   * cannot. A bucket can if its service supports rules and its key is allowed to set them.
   */
  expireAfter(days: number, prefixes: readonly string[]): Promise<boolean>
  close(): void
}

/** Both ends are included. */
export interface ByteRange {
  first: number
  last: number
}

/** The file does not exist. */
export class FileMissing extends Error {
  constructor(name: string, cause?: unknown) {
    super(`there is no file ${name}`, { cause })
    this.name = 'FileMissing'
  }
}
