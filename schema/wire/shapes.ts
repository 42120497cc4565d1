import { type Static, type TSchema, Type } from 'typebox'

/** Fields that are not declared are accepted. */
export const open = { additionalProperties: true }

/** Fields that are not declared are refused. */
export const closed = { additionalProperties: false }

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** Makes a field optional. Omitting it, `undefined` and `null` mean the same. */
export const optional = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Unsafe<Static<Schema> | null | undefined>(nullable(schema)))
