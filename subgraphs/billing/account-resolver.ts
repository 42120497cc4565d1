import { Ctx, FieldResolver, Resolver } from 'type-graphql'
import { readBalances } from '../../domain/billing/read-balances.ts'
import { batched } from '../runtime/batched.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { Account } from './account.ts'
import { Balance, presentBalance } from './balance.ts'

const balanceOf = batched({
  findAll: (context, accountIds) => readBalances(context, { accountIds }),
  idOf: ({ accountId }) => accountId,
})

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => Balance, { nullable: true })
  async balance(@Ctx() context: SubgraphContext): Promise<Balance> {
    const { accountId } = requireCaller(context)
    return presentBalance((await balanceOf(context, accountId))!)
  }
}
