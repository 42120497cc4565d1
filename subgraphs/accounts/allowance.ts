import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql'
import { setAllowance } from '../../domain/accounts/set-allowance.ts'
import { listAllowances } from '../../domain/allowances/list-allowances.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { requireOperator } from '../runtime/call.ts'
import { Count } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account } from './account.ts'
import { AccountOverview, overviewOf } from './overview.ts'

@ObjectType({ description: 'How much of a resource an account may use.' })
export class Allowance {
  @Field(() => String, { description: 'The resource, as in docs/allowances.md.' })
  resource!: string

  @Field(() => Count, { description: 'The limit, in `unit`.' })
  limit!: number

  @Field(() => String, { description: 'The unit of the limit, as a plural.' })
  unit!: string

  @Field(() => Int, {
    nullable: true,
    description:
      'The length of the window that the limit applies to; `null` for a limit of what exists or runs.',
  })
  windowSeconds!: number | null

  @Field(() => Boolean, { description: 'Whether an operator set the limit for this account.' })
  isOwn!: boolean
}

@InputType({ description: "The change of an account's own limit of a resource." })
class SetAllowanceInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: 'The resource, as in docs/allowances.md.' })
  resource!: string

  @Field(() => Count, {
    nullable: true,
    description: 'The new limit, 0 to 10^15; `null` applies the limit of the tier again.',
  })
  limit!: number | null
}

@ObjectType({ description: 'The changed account.' })
class SetAllowancePayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

@Resolver(() => Account)
export class AccountAllowancesResolver {
  @FieldResolver(() => [Allowance], {
    nullable: true,
    description: "The account's limits, one per resource.",
  })
  async allowances(@Root() { id }: Account, @Ctx() { allowances }: SubgraphContext): Promise<Allowance[]> {
    return listAllowances(allowances, await standingOf(allowances, id))
  }
}

@Resolver(() => AccountOverview)
export class OverviewAllowancesResolver {
  @FieldResolver(() => [Allowance], { description: "The account's limits, one per resource." })
  allowances(@Root() { standing }: AccountOverview, @Ctx() { allowances }: SubgraphContext): Allowance[] {
    return listAllowances(allowances, standing)
  }

  @Mutation(() => SetAllowancePayload, {
    nullable: true,
    description: "Sets an account's own limit of a resource. All processes apply it within about a second.",
  })
  async setAllowance(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SetAllowanceInput, { description: 'The account, the resource and the limit.' })
    { accountId, resource, limit }: SetAllowanceInput,
  ): Promise<SetAllowancePayload> {
    requireOperator(context)
    await setAllowance(context, { accountId, resource, limit: limit ?? null, action: context.action })
    return { account: await overviewOf(context, accountId) }
  }
}
