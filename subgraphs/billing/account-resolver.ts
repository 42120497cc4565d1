import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { countTransactions } from '../../domain/billing/count-transactions.ts'
import { listTransactions } from '../../domain/billing/list-transactions.ts'
import { readBalances } from '../../domain/billing/read-balances.ts'
import { batched } from '../frame/batched.ts'
import { requireCaller } from '../frame/require-caller.ts'
import type { SubgraphContext } from '../frame/subgraph-context.ts'
import { type ConnectionArgs, checkPageSize, connection, toConnection } from '../frame/types/connection.ts'
import { cursorOf, positionOf } from '../frame/types/cursor.ts'
import { type PageArgs, page, rangeOf, toPage } from '../frame/types/page.ts'
import { Account } from './account.ts'
import { Balance, presentBalance } from './balance.ts'
import { presentTransaction, Transaction } from './transaction.ts'

const TransactionConnection = connection(Transaction)
const TransactionPage = page(Transaction)

const balanceOf = batched({
  findAll: (context, accountIds) => readBalances(context, { accountIds }),
  idOf: ({ accountId }) => accountId,
})

/** Any key may read these: the rest of billing takes a session or a provisioning key (README, decisions: billing). */
@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => Balance)
  async balance(@Root() account: Account, @Ctx() context: SubgraphContext): Promise<Balance> {
    requireCaller(context)
    return presentBalance((await balanceOf(context, account.id))!)
  }

  @FieldResolver(() => TransactionConnection, { description: 'Newest first.' })
  async transactions(
    @Root() account: Account,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: SubgraphContext,
  ) {
    requireCaller(context)
    const accountId = account.id
    const first = checkPageSize(args.first, 'first')
    const after = positionOf(args.after)
    return toConnection({
      rows: await listTransactions(context, { accountId, limit: first + 1, after }),
      first,
      cursorOf,
      present: presentTransaction,
      countAll: () => countTransactions(context, { accountId }),
    })
  }

  @FieldResolver(() => TransactionPage, { description: 'The same, a page by its number.' })
  async transactionPage(
    @Root() account: Account,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: SubgraphContext,
  ) {
    requireCaller(context)
    const accountId = account.id
    const [transactions, total] = await Promise.all([
      listTransactions(context, { accountId, ...rangeOf(args) }),
      countTransactions(context, { accountId }),
    ])
    return toPage(args, transactions.map(presentTransaction), total)
  }
}
