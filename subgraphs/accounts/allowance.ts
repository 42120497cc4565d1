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
import { AccountOverview, overviewOf } from './operators/overview.ts'

@ObjectType({ description: "The limit on an account's use of one resource." })
export class Allowance {
  @Field(() => String, { description: "The resource's name, as listed in docs/allowances.md." })
  resource!: string

  @Field(() => Count, { description: 'The limit, in `unit`.' })
  limit!: number

  @Field(() => String, { description: 'The unit of the limit, in the plural, for example `requests`.' })
  unit!: string

  @Field(() => Int, {
    nullable: true,
    description:
      'The length of the window to which the limit applies, in seconds. `null` if the limit applies to the number that exist or run at the same time.',
  })
  windowSeconds!: number | null

  @Field(() => Boolean, {
    description:
      "Whether an operator has set this limit for the account. If false, the limit of the account's tier applies.",
  })
  isOwn!: boolean
}

@InputType({ description: "Sets or removes an account's own limit on a resource." })
class SetAllowanceInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: "The resource's name, as listed in docs/allowances.md." })
  resource!: string

  @Field(() => Count, {
    nullable: true,
    description:
      "The new limit, 0 to 10^15. `null` removes the account's own limit, so that the limit of its tier applies.",
  })
  limit!: number | null
}

@ObjectType({ description: 'The result of setting an allowance.' })
class SetAllowancePayload {
  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

@Resolver(() => Account)
export class AccountAllowancesResolver {
  @FieldResolver(() => [Allowance], {
    nullable: true,
    description: "The account's limits, one for each resource.",
  })
  async allowances(@Root() { id }: Account, @Ctx() { allowances }: SubgraphContext): Promise<Allowance[]> {
    return listAllowances(allowances, await standingOf(allowances, id))
  }
}

@Resolver(() => AccountOverview)
export class OverviewAllowancesResolver {
  @FieldResolver(() => [Allowance], { description: "The account's limits, one for each resource." })
  allowances(@Root() { standing }: AccountOverview, @Ctx() { allowances }: SubgraphContext): Allowance[] {
    return listAllowances(allowances, standing)
  }

  @Mutation(() => SetAllowancePayload, {
    nullable: true,
    description:
      "Sets an account's own limit on a resource. It takes effect in all processes within about one second. Requires an operator key.",
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
