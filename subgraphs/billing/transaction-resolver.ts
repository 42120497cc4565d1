import { Args, Ctx, Query, Resolver } from 'type-graphql'
import { countTransactions, listTransactions } from '../../domain/billing/list-transactions.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { ConnectionArgs, checkPageSize, connection, toConnection } from '../runtime/types/connection.ts'
import { cursorOf, positionOf } from '../runtime/types/cursor.ts'
import { mostPaged, PageArgs, page, rangeOf, toPage } from '../runtime/types/page.ts'
import { presentTransaction, Transaction } from './transaction.ts'

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
      countAll: () =>
        history.read(accountId, from => countTransactions(from, { accountId, most: mostPaged })),
    })
  }

  @Query(() => TransactionPage, { description: 'The same, a page by its number.' })
  async transactionPage(@Args(() => PageArgs) args: PageArgs, @Ctx() context: SubgraphContext) {
    const { accountId } = requireCaller(context)
    const { history } = context
    const range = rangeOf(args)
    const [transactions, total] = await Promise.all([
      history.read(accountId, from => listTransactions(from, { accountId, ...range })),
      history.read(accountId, from => countTransactions(from, { accountId, most: mostPaged })),
    ])
    return toPage(args, transactions.map(presentTransaction), total)
  }
}
