import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { ArgsType, type ClassType, Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { isPosition, type KeysetOrder, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import { Problem } from '../../schema/errors.ts'

/** The most items that one page holds. */
export const maxPageSize = 100

/** The number of items of a page whose size is not given. */
export const defaultPageSize = 20

/** How many items totals count up to, and numbered pages reach; beyond that lists are paged by cursor. */
export const maxPaged = 100_000

/** Which part of a list is wanted (docs/graph.md, Lists). */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: defaultPageSize,
    description: 'The number of items from the beginning, or after `after`, 1 to 100. `null` means 20.',
  })
  first?: number | null

  @Field(() => String, { nullable: true, description: 'The cursor behind which the page begins.' })
  after?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'How many items from the end, or before `before`: 1 to 100. Counts in place of `first`.',
  })
  last?: number | null

  @Field(() => String, { nullable: true, description: 'The cursor before which the page ends.' })
  before?: string | null
}

/** Which part of a list of an account's own objects is wanted. Operators name the account (`requireReader`). */
@ArgsType()
export class AccountConnectionArgs extends ConnectionArgs {
  @Field(() => ID, {
    nullable: true,
    description: 'The account, for operators. Other callers read their own account and need not name it.',
  })
  accountId?: string | null
}

@ObjectType({ description: 'What lies around a page of a list.' })
@Directive('@shareable')
class PageInfo {
  @Field(() => Boolean, {
    description: 'Whether items follow the page. Where `last` was asked for: whether `before` was given.',
  })
  hasNextPage!: boolean

  @Field(() => Boolean, {
    description: 'Whether items precede the page. Where `first` was asked for: whether `after` was given.',
  })
  hasPreviousPage!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first item, for `before`; null on an empty page.',
  })
  startCursor!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item, for `after`; null on an empty page.',
  })
  endCursor!: string | null
}

/** Declares the types of a list: `connection(ApiKey)` is `ApiKeyConnection` with its edges. */
export function connection<Node extends object>(NodeType: ClassType<Node>) {
  const { name } = NodeType

  @ObjectType(`${name}Edge`, { description: 'An item of a list, with its place there.' })
  class Edge {
    @Field(() => String, { description: 'The place of the item, for `after` and `before`.' })
    cursor!: string

    @Field(() => NodeType, { description: 'The item.' })
    node!: Node
  }

  @ObjectType(`${name}Connection`, { description: 'A page of a list.' })
  class Connection {
    @Field(() => [Edge], { description: 'The items with their cursors.' })
    edges!: Edge[]

    @Field(() => [NodeType], { description: 'The items.' })
    nodes!: Node[]

    @Field(() => PageInfo, { description: 'What lies around the page.' })
    pageInfo!: PageInfo

    countAll!: () => Promise<number>

    @Field(() => Int, {
      description: 'How many there are in all, counted to 100,000, and only when asked for.',
    })
    totalCount(): Promise<number> {
      return this.countAll()
    }
  }
  return Connection
}

/** A part of a list as the database is asked for it: one row more than the page, to see whether there is one. */
export interface PageSlice extends Slice {
  fromEnd: boolean
}

/**
 * The slice that the arguments of a list ask for. Throws `validation_failed` for a size that is not 1 to 100,
 * and for a cursor that is none of a list in this order.
 */
export function sliceOf(args: ConnectionArgs, order: KeysetOrder): PageSlice {
  const fromEnd = typeof args.last === 'number'
  const size = fromEnd ? checkSize(args.last ?? 0, 'last') : checkSize(args.first ?? defaultPageSize, 'first')
  const { position: after, offset } = readCursor(args.after, { order, param: 'after' })
  const { position: before } = readCursor(args.before, { order, param: 'before' })
  return { limit: size + 1, after, before, offset: fromEnd ? 0 : offset, fromEnd }
}

function checkSize(size: number, param: string): number {
  if (size >= 1 && size <= maxPageSize) return size
  throw new Problem('validation_failed', { param, message: `${param} must be 1 to ${maxPageSize}.` })
}

/**
 * Presents the rows of a slice as a connection. `rows` come as they were read: `slice.limit` at most, and from
 * the end backwards.
 */
export function toConnection<Row, Node>(
  slice: PageSlice,
  options: {
    rows: readonly Row[]
    /** The values of a row in the columns of the list's order. */
    positionOf(row: Row): Position
    present(row: Row): Node
    countAll(): Promise<number>
    /** Where a search ended before it had found a whole page and before the end of the list. */
    endedAt?: Position | undefined
  },
) {
  const { rows, positionOf, present, countAll, endedAt } = options
  const shown = rows.slice(0, slice.limit - 1)
  if (slice.fromEnd) shown.reverse()
  const edges = shown.map(row => ({ cursor: cursorOf(positionOf(row)), node: present(row) }))
  const hasMore = rows.length >= slice.limit || endedAt !== undefined
  const beyond = endedAt && cursorOf(endedAt)
  return {
    edges,
    nodes: edges.map(edge => edge.node),
    pageInfo: {
      hasNextPage: slice.fromEnd ? slice.before !== undefined : hasMore,
      hasPreviousPage: slice.fromEnd ? hasMore : slice.after !== undefined || (slice.offset ?? 0) > 0,
      startCursor: (slice.fromEnd && beyond) || (edges[0]?.cursor ?? null),
      endCursor: (!slice.fromEnd && beyond) || (edges.at(-1)?.cursor ?? null),
    },
    countAll,
  }
}

/** The cursor of a row: opaque to clients. */
export function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The cursor behind the first `offset` items: what numbered pages of `/api/v1` are made with. */
export function offsetCursor(offset: number): string {
  return Buffer.from(String(offset)).toString('base64url')
}

function readCursor(
  cursor: string | null | undefined,
  { order, param }: { order: KeysetOrder; param: string },
): { position?: Position; offset?: number } {
  if (cursor === undefined || cursor === null) return {}
  const known: unknown = parsed(Buffer.from(cursor, 'base64url').toString())
  if (isTexts(known) && isPosition(order, known)) return { position: known }
  if (param === 'after' && isOffset(known)) return { offset: known }
  throw new Problem('validation_failed', { param, message: `${param} must be a cursor of this list.` })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string')
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maxPaged
}

/** Maximum number of values of one filter. Each is compared with every row. */
export const maxFilterValues = 100

/** The values of a filter; undefined where it is left out. Throws `validation_failed` for more than 100. */
export function checkList<Value>(values: Value[] | null | undefined, param: string): Value[] | undefined {
  if (!values || values.length <= maxFilterValues) return values ?? undefined
  throw new Problem('validation_failed', {
    param,
    message: `${param} takes at most ${maxFilterValues} values.`,
  })
}
