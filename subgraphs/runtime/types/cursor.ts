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

/** The end of the year 9999: no cursor of ours names a later moment, and dates beyond it are written differently. */
const lastMicros = 253_402_300_799_999_999n

/**
 * The position that a cursor names. Throws `validation_failed` for one that we did not make; `isId` says what the ids
 * of the list look like.
 */
export function positionOf(
  cursor: string | null | undefined,
  isId: (id: string) => boolean = () => true,
): Position | undefined {
  if (cursor === undefined || cursor === null) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, micros = '', id = ''] = /^(\d{1,18}) ([\x21-\x7e]{1,100})$/.exec(text) ?? []
  const createdMicros = BigInt(micros)
  if (id !== '' && createdMicros <= lastMicros && isId(id)) return { createdMicros, id }
  throw new Problem('validation_failed', { param: 'after', message: 'after must be a cursor of this list.' })
}
