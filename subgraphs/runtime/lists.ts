import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { ArgsType, type ClassType, Directive, Field, Int, ObjectType } from 'type-graphql'
import { Problem } from '../../schema/errors.ts'

/** The most items that one page holds. */
export const maxPageSize = 100

/** Where a page begins and how long it is. */
@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, { defaultValue: 20, description: 'How many items, 1 to 100.' })
  first!: number

  @Field(() => String, { nullable: true, description: 'The cursor after which the page begins.' })
  after?: string | null
}

@ObjectType()
@Directive('@shareable')
class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean

  @Field(() => String, { nullable: true })
  endCursor!: string | null
}

/** Declares the types of a Relay-style list: `connection(ApiKey)` is `ApiKeyConnection` with its edges. */
export function connection<Node extends object>(NodeType: ClassType<Node>) {
  @ObjectType(`${NodeType.name}Edge`)
  class Edge {
    @Field(() => String)
    cursor!: string

    @Field(() => NodeType)
    node!: Node
  }

  @ObjectType(`${NodeType.name}Connection`)
  class Connection {
    @Field(() => [Edge])
    edges!: Edge[]

    @Field(() => [NodeType])
    nodes!: Node[]

    @Field(() => PageInfo)
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

/**
 * Presents one page as a connection. `rows` are the page's rows and, where there are more, one beyond: ask
 * the database for `first + 1`.
 */
export function toConnection<Row, Node>(options: {
  rows: Row[]
  first: number
  cursorOf(row: Row): string
  present(row: Row): Node
  countAll(): Promise<number>
}) {
  const { rows, first, cursorOf, present, countAll } = options
  const edges = rows.slice(0, first).map(row => ({ cursor: cursorOf(row), node: present(row) }))
  return {
    edges,
    nodes: edges.map(edge => edge.node),
    pageInfo: { hasNextPage: rows.length > first, endCursor: edges.at(-1)?.cursor ?? null },
    countAll,
  }
}

/** Returns the page size. Throws `validation_failed` when it is not 1 to 100. */
export function checkPageSize(size: number, param: string): number {
  if (size >= 1 && size <= maxPageSize) return size
  throw new Problem('validation_failed', { param, message: `${param} must be 1 to ${maxPageSize}.` })
}

/** A place in a list that runs newest first: creation in microseconds since 1970, then the id. */
interface Position {
  createdMicros: bigint
  id: string
}

/** A cursor: opaque to clients. */
export function cursorOf({ createdMicros, id }: Position): string {
  return Buffer.from(`${createdMicros} ${id}`).toString('base64url')
}

/**
 * The end of the year 9999: no cursor of ours names a later moment, and dates beyond it are written
 * differently.
 */
const lastMicros = 253_402_300_799_999_999n

/**
 * The position that a cursor names. Throws `validation_failed` for one that we did not make; `isId` says what
 * the ids of the list look like.
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

/** How many items numbered pages reach, and totals count up to; beyond that lists are paged by cursor. */
export const maxPaged = 100_000

/** A page by its number, as `/api/v1` lists have it. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 1, description: 'Which page, from 1.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'How many items a page has, 1 to 100.' })
  perPage!: number
}

/** Declares the type of a numbered page: `page(Model)` is `ModelPage`. */
export function page<Node extends object>(NodeType: ClassType<Node>) {
  @ObjectType(`${NodeType.name}Page`)
  class Page {
    @Field(() => [NodeType])
    items!: Node[]

    @Field(() => Int)
    page!: number

    @Field(() => Int)
    perPage!: number

    @Field(() => Int, { description: 'How many items there are in all, counted to 100,000.' })
    total!: number

    @Field(() => Int)
    totalPages!: number
  }
  return Page
}

/** Presents the items of one page, with what follows from their total. */
export function toPage<Node>(args: PageArgs, items: Node[], total: number) {
  return {
    items,
    total,
    page: args.page,
    perPage: args.perPage,
    totalPages: Math.ceil(total / args.perPage),
  }
}

/** Rows to take and to leave out. Throws `validation_failed` for a page or size out of range. */
export function rangeOf(args: PageArgs): { limit: number; offset: number } {
  const limit = checkPageSize(args.perPage, 'perPage')
  const lastPage = Math.floor(maxPaged / limit)
  if (args.page >= 1 && args.page <= lastPage) return { limit, offset: (args.page - 1) * limit }
  const message = `page must be 1 to ${lastPage} with so many items a page: pages reach the first ${maxPaged} items.`
  throw new Problem('validation_failed', { param: 'page', message })
}

/** The most values that one argument takes: each is compared with every row. */
const maxValues = 100

/**
 * The values of a list argument; undefined where it is left out. Throws `validation_failed` for more than
 * 100.
 */
export function checkList<Value>(values: Value[] | null | undefined, param: string): Value[] | undefined {
  if (!values || values.length <= maxValues) return values ?? undefined
  const message = `${param} takes at most ${maxValues} values.`
  throw new Problem('validation_failed', { param, message })
}
