import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { ArgsType, type ClassType, Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { isPosition, type KeysetOrder, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { OrderDirection } from './shared-enums.ts'

/** Maximum number of items on a page. */
export const maxPageSize = 100

/** Number of items on a page if the client does not set it. */
export const defaultPageSize = 20

/** Maximum total that is counted, and maximum offset of numbered pages. Beyond it, lists are paged by cursor. */
export const maxPaged = 100_000

/** The arguments that select a page of a list (docs/graph.md, Lists). */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: defaultPageSize,
    description:
      'The maximum number of items on the page, 1 to 100. The page begins at the start of the list, or after `after`. `null` means 20.',
  })
  first?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of an item. The page begins after that item.',
  })
  after?: string | null

  @Field(() => Int, {
    nullable: true,
    description:
      'The maximum number of items on the page, 1 to 100, to page backwards. The page ends at the end of the list, or before `before`. If set, `first` is ignored.',
  })
  last?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of an item. The page ends before that item.',
  })
  before?: string | null
}

/** The arguments that select a page of an account's list. Operators name the account (`requireReader`). */
@ArgsType()
export class AccountConnectionArgs extends ConnectionArgs {
  @Field(() => ID, {
    nullable: true,
    description:
      'The account to read. Required for operators. Other callers can read only their own account and can omit it.',
  })
  accountId?: string | null
}

@ObjectType({ description: 'Information about the position of a page in its list.' })
@Directive('@shareable')
class PageInfo {
  @Field(() => Boolean, {
    description:
      'Whether more items follow the page. If `last` is set, this is true whenever `before` is set.',
  })
  hasNextPage!: boolean

  @Field(() => Boolean, {
    description:
      'Whether more items precede the page. Unless `last` is set, this is true whenever `after` is set.',
  })
  hasPreviousPage!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the start of the page, for `before`. `null` if the page is empty.',
  })
  startCursor!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the end of the page, for `after`. `null` if the page is empty, unless the search for the page ended early.',
  })
  endCursor!: string | null
}

/** Declares the types of a list: `connection(ApiKey)` is `ApiKeyConnection` with its edges. */
export function connection<Node extends object>(NodeType: ClassType<Node>) {
  const { name } = NodeType

  @ObjectType(`${name}Edge`, { description: 'An item of a list with its cursor.' })
  class Edge {
    @Field(() => String, { description: "The item's cursor, for `after` and `before`." })
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

    @Field(() => PageInfo, { description: 'The position of the page in the list.' })
    pageInfo!: PageInfo

    countAll!: () => Promise<number>

    @Field(() => Int, {
      description: 'The total number of items, at most 100,000. Longer lists report 100,000.',
    })
    totalCount(): Promise<number> {
      return this.countAll()
    }
  }
  return Connection
}

/** Declares the input for the sort order of a list: `orderInput('Task', { of: 'tasks', fields })` is `TaskOrderInput`. */
export function orderInput<OrderField extends string>(
  name: string,
  { of, fields }: { of: string; fields: Readonly<Record<string, OrderField>> },
) {
  @InputType(`${name}OrderInput`, { description: `The sort order of ${of}.` })
  class OrderInput {
    @Field(() => fields, { description: 'The field by which to sort.' })
    field!: OrderField

    @Field(() => OrderDirection, { description: 'The sort direction.' })
    direction!: 'asc' | 'desc'
  }
  return OrderInput
}

/**
 * A slice of a list to read from the database. It has one row more than the page, which shows whether more items exist.
 */
export interface PageSlice extends Slice {
  fromEnd: boolean
}

/**
 * Returns the slice for the arguments of a list. Throws `validation_failed` if the size is not 1 to 100, or if a cursor
 * does not belong to a list in this order.
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
  refuseParam(param, `must be 1 to ${maxPageSize}`)
}

/**
 * Presents the rows of a slice as a connection. Pass `rows` in the order in which they were read: at most
 * `slice.limit`, and backwards if the slice is read from the end.
 */
export function toConnection<Row, Node>(
  slice: PageSlice,
  options: {
    rows: readonly Row[]
    /** Returns the row's values of the columns by which the list is sorted. */
    positionOf(row: Row): Position
    present(row: Row): Node
    countAll(): Promise<number>
    /** The position at which a search ended early, before it found a whole page. */
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

/** Returns the cursor of a row. Clients treat it as opaque. */
export function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Returns the cursor after the first `offset` items, for numbered pages of `/api/v1`. */
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
  refuseParam(param, 'must be a cursor of this list')
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

/** Maximum number of values of one filter. Every row is compared with every value. */
export const maxFilterValues = 100

/**
 * Returns the values of a filter, or `undefined` if it is left out. Throws `validation_failed` for more than 100
 * values.
 */
export function checkList<Value>(values: Value[] | null | undefined, param: string): Value[] | undefined {
  if (!values || values.length <= maxFilterValues) return values ?? undefined
  return refuseParam(param, `must have at most ${maxFilterValues} values`)
}
