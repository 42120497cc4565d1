import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import {
  type AccountRow,
  accountOrder,
  countAccounts,
  listAccounts,
  positionOfAccount,
  readOverview,
} from '../../domain/accounts/list-accounts.ts'
import { resumeAccount, suspendAccount } from '../../domain/accounts/suspend-account.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: "An account's own limit of a resource, in place of the limit of its tier." })
class OwnAllowance {
  @Field(() => String, { description: 'The resource, as in docs/allowances.md.' })
  resource!: string

  @Field(() => Number, { description: 'The limit, in the unit of the resource.' })
  limit!: number
}

@ObjectType({ description: 'An account as operators see it.' })
export class AccountOverview {
  @Field(() => ID, { description: "The account's ID." })
  id!: string

  @Field(() => String, { description: "The account's name." })
  name!: string

  @Field(() => [String], { description: 'The e-mail addresses of its people, at most 20.' })
  emails!: string[]

  @Field(() => DateTime, { description: 'When the account was created.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the account was suspended; `null` if it is active.',
  })
  suspendedAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'Why the account was suspended; `null` if it is active.',
  })
  suspensionReason!: string | null

  @Field(() => Money, { description: 'Its credits.' })
  credits!: bigint

  @Field(() => Money, {
    description: 'The amount reserved for requests and tasks, with what processes hold in advance.',
  })
  held!: bigint

  @Field(() => Boolean, { description: 'Whether the account is in the paying tier.' })
  isPaying!: boolean

  @Field(() => [OwnAllowance], { description: "The account's own limits, such as its rates." })
  allowances!: OwnAllowance[]

  @Field(() => Int, { description: 'The number of API keys that are not revoked.' })
  keyCount!: number
}

function presentOverview(row: AccountRow): AccountOverview {
  const { creditsNanos: credits, heldNanos: held, keys: keyCount, allowances, ...rest } = row
  const limits = Object.entries(allowances).map(([resource, limit]) => ({ resource, limit }))
  return { ...rest, credits, held, keyCount, allowances: limits }
}

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
    description: 'All accounts, newest first. For operators.',
  })
  async accounts(@Args(() => AccountsArgs) args: AccountsArgs, @Ctx() context: SubgraphContext) {
    requireOperator(context)
    if (args.search && args.search.length > 200)
      throw new Problem('validation_failed', {
        param: 'search',
        message: 'search must have at most 200 characters.',
      })
    const filter = { search: args.search ?? undefined, isSuspended: args.isSuspended ?? undefined }
    const slice = sliceOf(args, accountOrder)
    return toConnection(slice, {
      rows: await listAccounts(context, { filter, slice }),
      positionOf: positionOfAccount,
      present: presentOverview,
      countAll: () => countAccounts(context, { filter, most: maxPaged }),
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

async function overviewOf(context: SubgraphContext, accountId: string): Promise<AccountOverview> {
  const row = await readOverview(context, { accountId })
  if (!row) throw new Problem('not_found')
  return presentOverview(row)
}
