import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import {
  accountOrder,
  countAccounts,
  listAccounts,
  positionOfAccount,
} from '../../domain/accounts/list-accounts.ts'
import { resumeAccount, suspendAccount } from '../../domain/accounts/suspend-account.ts'
import { platformId } from '../../domain/audit/record-action.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { AccountOverview, overviewOf, presentOverview } from './overview.ts'

@ArgsType()
class AccountsArgs extends ConnectionArgs {
  @Field(() => String, {
    nullable: true,
    description: 'A part of the name or of an e-mail address, or an ID; at most 200 characters.',
  })
  search?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the accounts are suspended; both unless given.',
  })
  isSuspended?: boolean | null
}

@InputType({ description: 'The suspension of an account.' })
class SuspendAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: 'The reason, 1 to 500 characters. Only operators see it.' })
  reason!: string
}

@InputType({ description: 'The end of a suspension.' })
class ResumeAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string
}

@ObjectType({ description: 'The suspended account.' })
class SuspendAccountPayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

@ObjectType({ description: 'The resumed account.' })
class ResumeAccountPayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

const AccountOverviewConnection = connection(AccountOverview)

/** Accounts as operators see and change them (docs/behaviour.md, Operators). */
@Resolver(() => AccountOverview)
export class AccountOverviewResolver {
  @Query(() => AccountOverviewConnection, {
    nullable: true,
    description: 'All accounts, newest first. For operators. `totalCount` of a search counts to 1,000.',
  })
  async accounts(@Args(() => AccountsArgs) args: AccountsArgs, @Ctx() context: SubgraphContext) {
    requireOperator(context)
    const { queries } = context
    if (args.search && args.search.length > 200)
      throw new Problem('validation_failed', {
        param: 'search',
        message: 'search must have at most 200 characters.',
      })
    const filter = { search: args.search ?? undefined, isSuspended: args.isSuspended ?? undefined }
    const slice = sliceOf(args, accountOrder)
    return toConnection(slice, {
      rows: await queries.run(platformId, from => listAccounts(from, { filter, slice })),
      positionOf: positionOfAccount,
      present: presentOverview,
      countAll: () => queries.run(platformId, from => countAccounts(from, { filter, most: maxPaged })),
    })
  }

  @Query(() => AccountOverview, { nullable: true, description: 'One account, by its ID. For operators.' })
  async account(
    @Arg('id', () => ID, { description: "The account's ID." }) id: string,
    @Ctx() context: SubgraphContext,
  ) {
    requireOperator(context)
    return overviewOf(context, id)
  }

  @Mutation(() => SuspendAccountPayload, {
    nullable: true,
    description:
      'Suspends an account: every request with its keys and sessions fails with 403 `account_suspended`.',
  })
  async suspendAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SuspendAccountInput, { description: 'The account and the reason.' })
    { accountId, reason }: SuspendAccountInput,
  ): Promise<SuspendAccountPayload> {
    requireOperator(context)
    await suspendAccount(context, { accountId, reason, action: context.action })
    return { account: await overviewOf(context, accountId) }
  }

  @Mutation(() => ResumeAccountPayload, { nullable: true, description: 'Ends the suspension of an account.' })
  async resumeAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ResumeAccountInput, { description: 'The account.' }) {
      accountId,
    }: ResumeAccountInput,
  ): Promise<ResumeAccountPayload> {
    requireOperator(context)
    await resumeAccount(context, { accountId, action: context.action })
    return { account: await overviewOf(context, accountId) }
  }
}
