import { Problem } from '../../../schema/errors.ts'

/** A place in a list that runs newest first: creation in microseconds since 1970, then the id. */
export interface Position {
  createdMicros: bigint
  id: string
}

/** A cursor: opaque to clients. */
export function cursorOf({ createdMicros, id }: Position): string {
  return Buffer.from(`${createdMicros} ${id}`).toString('base64url')
}

/** The position that a cursor names. Throws `validation_failed` for one that we did not make. */
export function positionOf(cursor: string | null | undefined): Position | undefined {
  if (cursor === undefined || cursor === null) return undefined
  const match = /^(\d{1,18}) ([\x21-\x7e]{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (match) return { createdMicros: BigInt(match[1]!), id: match[2]! }
  throw new Problem('validation_failed', { param: 'after', message: 'after must be a cursor of this list.' })
}
