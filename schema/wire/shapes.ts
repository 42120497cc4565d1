import { type TSchema, Type } from 'typebox'

/** Fields that are not named are accepted. */
export const open = { additionalProperties: true }

/** Nothing but what is named. */
export const closed = { additionalProperties: false }

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** May be left out or be null, which means the same. */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))
