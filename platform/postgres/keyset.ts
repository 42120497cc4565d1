import { isText, isUuid } from '../checks.ts'
import type { Sql } from './open-postgres.ts'

/** An order of rows. Because of the last column, no two rows have the same values. */
export type KeysetOrder = readonly KeysetColumn[]

interface KeysetColumn {
  /** The column's name in SQL. */
  name: string
  type: keyof typeof types
  direction: 'asc' | 'desc'
}

/** The values of a row in the columns of an order, as text: a `timestamptz` in microseconds since 1970. */
export type Position = readonly string[]

/** A part of an ordered list. */
export interface Slice {
  /** Maximum number of rows. */
  limit: number
  /** The rows that follow this position, in the order of the list. */
  after?: Position | undefined
  /** The rows that precede it. */
  before?: Position | undefined
  /** Number of rows that are skipped. */
  offset?: number | undefined
  /** Whether the rows are read from the end of the list, in reverse order. */
  fromEnd?: boolean | undefined
}

/** The end of the year 9999. Later dates have a different text format. */
const lastMicros = 253_402_300_799_999_999n

/** How the values of each type are checked, and how Postgres converts them. */
const types = {
  timestamptz: {
    isValue: isMoment,
    read: (sql: Sql, text: string) =>
      sql`timestamptz 'epoch' + ${text}::text::float8 * interval '1 microsecond'`,
  },
  uuid: { isValue: isUuid, read: (sql: Sql, text: string) => sql`${text}::uuid` },
  text: {
    isValue: (text: string) => text.length <= 200 && isText(text),
    read: (sql: Sql, text: string) => sql`${text}::text`,
  },
  bigint: {
    isValue: (text: string) => /^-?\d{1,18}$/.test(text),
    read: (sql: Sql, text: string) => sql`${text}::text::bigint`,
  },
  boolean: {
    isValue: (text: string) => text === 'true' || text === 'false',
    read: (sql: Sql, text: string) => sql`${text}::text::boolean`,
  },
} as const

function isMoment(text: string): boolean {
  return /^\d{1,18}$/.test(text) && BigInt(text) <= lastMicros
}

/** Whether the values fit the columns of an order, so that Postgres can compare them. */
export function isPosition(order: KeysetOrder, position: Position): boolean {
  return (
    position.length === order.length &&
    order.every(({ type }, index) => types[type].isValue(position[index] ?? ''))
  )
}

/**
 * Returns the SQL of a slice of an ordered list: `where` follows the other conditions of the statement, and `end` is
 * its end. If an outer statement reads more columns of the rows, `inOrder` restores their order. Positions must have
 * passed `isPosition`.
 */
export function keyset(sql: Sql, order: KeysetOrder, slice: Slice) {
  const { after, before, fromEnd = false, offset = 0, limit } = slice
  const columns = order.map(({ name, direction }) => {
    const isDown = (direction === 'desc') !== fromEnd
    return isDown ? sql`${sql(name)} desc` : sql`${sql(name)} asc`
  })
  const inOrder = sql`order by ${columns.reduce((all, next) => sql`${all}, ${next}`)}`
  return {
    inOrder,
    where: sql`${after ? beyond(sql, order, after, false) : sql``} ${before ? beyond(sql, order, before, true) : sql``}`,
    end: sql`${inOrder} offset ${offset} limit ${limit}`,
  }
}

/**
 * Returns the condition for rows that follow a position, or that precede it with `reverse`. If all columns have the
 * same direction, it is a comparison of rows, for which an index can be used. The additional comparison of the first
 * column prunes partitions.
 */
function beyond(sql: Sql, order: KeysetOrder, position: Position, reverse: boolean) {
  const parts = order.map(({ name, type, direction }, index) => ({
    column: sql(name),
    value: types[type].read(sql, position[index] ?? ''),
    isDown: (direction === 'desc') !== reverse,
  }))
  const [first] = parts
  if (!first) return sql``
  if (parts.every(({ isDown }) => isDown === first.isDown)) {
    const columns = parts.map(part => sql`${part.column}`).reduce((all, next) => sql`${all}, ${next}`)
    const values = parts.map(part => part.value).reduce((all, next) => sql`${all}, ${next}`)
    return first.isDown
      ? sql`and ${first.column} <= ${first.value} and (${columns}) < (${values})`
      : sql`and ${first.column} >= ${first.value} and (${columns}) > (${values})`
  }
  const alternatives = parts.map(({ column, value, isDown }, index) => {
    const equal = parts.slice(0, index).map(part => sql`${part.column} = ${part.value} and`)
    const further = isDown ? sql`${column} < ${value}` : sql`${column} > ${value}`
    return sql`(${equal.reduce((all, next) => sql`${all} ${next}`, sql``)} ${further})`
  })
  return sql`and (${alternatives.reduce((all, next) => sql`${all} or ${next}`)})`
}
