/** What the vendor enforces. Other words of a schema are told to the model in its description. */
const enforced = new Set(
  'type description title enum const default $ref $defs definitions properties required items anyOf allOf pattern'.split(
    ' ',
  ),
)
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/** Whether the vendor holds to this word of a schema. */
export function isEnforced(word: string, value: unknown): boolean {
  if (word === 'format') return typeof value === 'string' && formats.has(value)
  if (word === 'minItems') return value === 0 || value === 1
  return enforced.has(word)
}
