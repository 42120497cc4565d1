import { Args, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import {
  countTransactions,
  listTransactions,
  type Transaction as TransactionRow,
} from '../../domain/billing/list-transactions.ts'
import { requireCaller } from '../runtime/call.ts'
import {
  ConnectionArgs,
  checkPageSize,
  connection,
  cursorOf,
  maxPaged,
  PageArgs,
  page,
  positionOf,
  rangeOf,
  toConnection,
  toPage,
} from '../runtime/lists.ts'
import { DateTime, Dollars } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: 'What changed a balance: a completed charge or a top-up.' })
export class Transaction {
  @Field(() => ID)
  id!: string

  @Field(() => Dollars, { description: 'Negative for usage, positive for a top-up.' })
  credits!: bigint

  @Field(() => Dollars, { description: 'The same without its sign.' })
  amount!: bigint

  @Field(() => String, { description: '`usage`, or how a top-up was paid.' })
  paymentMethod!: string

  @Field(() => String)
  status!: string

  @Field(() => ID, { nullable: true, description: 'The key that a usage row was spent through.' })
  apiKeyId!: string | null

  @Field(() => ID, { nullable: true, description: 'The request that a usage row paid for.' })
  requestId!: string | null

  @Field(() => ID, { nullable: true, description: 'The task that a usage row paid for.' })
  taskId!: string | null

  @Field(() => DateTime)
  createdAt!: Date
}

function presentTransaction({ creditsNanos, ...rest }: TransactionRow): Transaction {
  return { ...rest, credits: creditsNanos, amount: creditsNanos < 0n ? -creditsNanos : creditsNanos }
}

const TransactionConnection = connection(Transaction)
const TransactionPage = page(Transaction)

@Resolver(() => Transaction)
export class TransactionResolver {
  @Query(() => TransactionConnection, { description: 'The transactions of the account, newest first.' })
  async transactions(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: SubgraphContext) {
    const { accountId } = requireCaller(context)
    const { history } = context
    const first = checkPageSize(args.first, 'first')
    const after = positionOf(args.after)
    return toConnection({
      first,
      rows: await history.read(accountId, from =>
        listTransactions(from, { accountId, limit: first + 1, after }),
      ),
      cursorOf: ({ createdAt, id }) => cursorOf({ createdMicros: BigInt(createdAt.getTime()) * 1000n, id }),
      present: presentTransaction,
      countAll: () => history.read(accountId, from => countTransactions(from, { accountId, most: maxPaged })),
    })
  }

  @Query(() => TransactionPage, { description: 'The same, a page by its number.' })
  async transactionPage(@Args(() => PageArgs) args: PageArgs, @Ctx() context: SubgraphContext) {
    const { accountId } = requireCaller(context)
    const { history } = context
    const range = rangeOf(args)
    const [transactions, total] = await Promise.all([
      history.read(accountId, from => listTransactions(from, { accountId, ...range })),
      history.read(accountId, from => countTransactions(from, { accountId, most: maxPaged })),
    ])
    return toPage(args, transactions.map(presentTransaction), total)
  }
}
