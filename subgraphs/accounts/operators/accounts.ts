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
  maxSearchLength,
  positionOfAccount,
} from '../../../domain/accounts/list-accounts.ts'
import { resumeAccount, suspendAccount } from '../../../domain/accounts/suspend-account.ts'
import { platformId } from '../../../domain/audit/record-action.ts'
import { refuseParam } from '../../../schema/refuse-param.ts'
import { reasonDescription } from '../../runtime/audit-mutations.ts'
import { requireOperator } from '../../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../../runtime/connections.ts'
import type { SubgraphContext } from '../../runtime/services.ts'
import { AccountOverview, overviewOf, presentOverview } from './overview.ts'

@ArgsType()
class AccountsArgs extends ConnectionArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "A part of the account's name or of a user's e-mail address, or the account's ID. At most 200 characters.",
  })
  search?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to list suspended accounts (`true`) or accounts that are not suspended (`false`). `null` lists both.',
  })
  isSuspended?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to list closed accounts (`true`) or open accounts (`false`). `null` lists both.',
  })
  isClosed?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to list accounts in the paying tier (`true`) or in the trial tier (`false`). `null` lists both.',
  })
  isPaying?: boolean | null
}

@InputType({ description: 'The account to suspend and the reason.' })
class SuspendAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@InputType({ description: 'The account to resume.' })
class ResumeAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string
}

@ObjectType({ description: 'The result of suspending an account.' })
class SuspendAccountPayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

@ObjectType({ description: 'The result of resuming an account.' })
class ResumeAccountPayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

const AccountOverviewConnection = connection(AccountOverview)

/** Queries and mutations with which operators read and suspend accounts (docs/behaviour.md, Operators). */
@Resolver(() => AccountOverview)
export class AccountOverviewResolver {
  @Query(() => AccountOverviewConnection, {
    nullable: true,
    description:
      'Lists all accounts, newest first. With `search`, `totalCount` counts up to 1,000. Requires an operator key.',
  })
  async accounts(@Args(() => AccountsArgs) args: AccountsArgs, @Ctx() context: SubgraphContext) {
    requireOperator(context)
    const { queries } = context
    if (args.search && args.search.length > maxSearchLength)
      refuseParam('search', `must have at most ${maxSearchLength} characters`)
    const filter = {
      search: args.search ?? undefined,
      isSuspended: args.isSuspended ?? undefined,
      isClosed: args.isClosed ?? undefined,
      isPaying: args.isPaying ?? undefined,
    }
    const slice = sliceOf(args, accountOrder)
    return toConnection(slice, {
      rows: await queries.run(platformId, from => listAccounts(from, { filter, slice })),
      positionOf: positionOfAccount,
      present: presentOverview,
      countAll: () => queries.run(platformId, from => countAccounts(from, { filter, max: maxPaged })),
    })
  }

  @Query(() => AccountOverview, {
    nullable: true,
    description: 'Returns an account. Requires an operator key.',
  })
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
      'Suspends an account. Requests with its API keys and sessions fail with 403 `account_suspended`. Requires an operator key.',
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

  @Mutation(() => ResumeAccountPayload, {
    nullable: true,
    description: 'Ends the suspension of an account. Requires an operator key.',
  })
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
