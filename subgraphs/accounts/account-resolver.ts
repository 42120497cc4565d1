import { Ctx, Query, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { Account, presentAccount } from './account.ts'

@Resolver(() => Account)
export class AccountResolver {
  @Query(() => Account, { description: 'The account that the credential belongs to.' })
  async me(@Ctx() context: SubgraphContext): Promise<Account> {
    const { accountId } = requireCaller(context)
    return presentAccount(await readAccount(context, { accountId }))
  }
}
