import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { closeAccount, reopenAccount } from '../../../domain/closures/close-account.ts'
import { reasonDescription } from '../../runtime/audit-mutations.ts'
import { requireOperator } from '../../runtime/call.ts'
import type { SubgraphContext } from '../../runtime/services.ts'
import { AccountOverview, overviewOf } from './overview.ts'

@InputType({ description: 'The account to close and the reason.' })
class CloseAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@InputType({ description: 'The account to reopen and the reason.' })
class ReopenAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@ObjectType({ description: 'The result of closing an account.' })
class CloseAccountPayload {
  @Field(() => AccountOverview, {
    description:
      'The account. `credits` is the money that is left: closing refunds no payment. `held` is reserved for work that has not ended.',
  })
  account!: AccountOverview
}

@ObjectType({ description: 'The result of reopening an account.' })
class ReopenAccountPayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

/** Mutations with which operators close and reopen accounts (docs/closing.md). */
@Resolver(() => AccountOverview)
export class ClosureResolver {
  @Mutation(() => CloseAccountPayload, {
    nullable: true,
    description:
      'Closes an account. Requests with its API keys and sessions fail with 403 `account_closed`. Its data are deleted at `eraseAt`, unless the account is reopened before. Requires an operator key.',
  })
  async closeAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CloseAccountInput, { description: 'The account and the reason.' })
    { accountId, reason }: CloseAccountInput,
  ): Promise<CloseAccountPayload> {
    requireOperator(context)
    await closeAccount(context, { accountId, reason, action: context.action })
    return { account: await overviewOf(context, accountId) }
  }

  @Mutation(() => ReopenAccountPayload, {
    nullable: true,
    description:
      'Reopens a closed account whose data are not deleted. Its API keys and sessions work again. Requires an operator key.',
  })
  async reopenAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ReopenAccountInput, { description: 'The account and the reason.' })
    { accountId, reason }: ReopenAccountInput,
  ): Promise<ReopenAccountPayload> {
    requireOperator(context)
    await reopenAccount(context, { accountId, reason, action: context.action })
    return { account: await overviewOf(context, accountId) }
  }
}
