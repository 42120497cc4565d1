import { ArgsType, type ClassType, Directive, Field, Int, ObjectType } from 'type-graphql'
import { Problem } from '../../../schema/errors.ts'

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
export class PageInfo {
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
 * Presents one page as a connection. `rows` are the page's rows and, where there are more, one beyond: ask the
 * database for `first + 1`.
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

/** The page size asked for. Throws `validation_failed` when it is not 1 to 100. */
export function checkPageSize(size: number, param: string): number {
  if (size >= 1 && size <= maxPageSize) return size
  throw new Problem('validation_failed', { param, message: `${param} must be 1 to ${maxPageSize}.` })
}
