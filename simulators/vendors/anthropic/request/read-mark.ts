import { type Fields, readChoice, readNullableRecord, refuseUnknownNames } from './read-fields.ts'

/** Whether a block is a breakpoint of the prompt cache. */
export function readMark(fields: Fields): boolean {
  const mark = readNullableRecord(fields, 'cache_control')
  if (!mark) return false
  refuseUnknownNames(mark, ['type', 'ttl'])
  readChoice(mark, 'type', ['ephemeral'])
  if (mark.values.ttl !== undefined) readChoice(mark, 'ttl', ['5m', '1h'])
  return true
}
