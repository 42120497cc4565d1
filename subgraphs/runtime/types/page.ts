import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql'
import { Problem } from '../../../schema/errors.ts'
import { checkPageSize } from './connection.ts'

/** So many items may be paged through by number, and are counted: whoever wants more pages by cursor. */
export const mostPaged = 100_000

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
  const lastPage = Math.floor(mostPaged / limit)
  if (args.page >= 1 && args.page <= lastPage) return { limit, offset: (args.page - 1) * limit }
  const message = `page must be 1 to ${lastPage} with so many items a page: pages reach the first ${mostPaged} items.`
  throw new Problem('validation_failed', { param: 'page', message })
}
