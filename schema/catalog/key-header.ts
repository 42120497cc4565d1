import { type Static, Type } from 'typebox'

/** The header that carries the API key: `Authorization: Key …`. */
export const KeyHeader = Type.Object(
  {
    header: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$', default: 'Authorization' }),
    /** The word before the key, or empty. */
    scheme: Type.String({ pattern: '^[A-Za-z-]{0,32}$', default: 'Bearer' }),
  },
  { additionalProperties: false, default: {} },
)

export type KeyHeader = Static<typeof KeyHeader>
