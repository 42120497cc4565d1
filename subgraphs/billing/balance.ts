import {
  Ctx,
  Directive,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql'
import { type Balance as BalanceRow, readBalances } from '../../domain/billing/read-balances.ts'
import { requireCaller } from '../runtime/call.ts'
import { Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

@ObjectType({ description: 'What an account owns, and what of it can be spent.' })
export class Balance {
  @Field(() => Money, { description: 'The raw balance: changed by top-ups and completed charges alone.' })
  credits!: bigint

  @Field(() => Money, { description: 'Reserved for tasks and requests in flight.' })
  held!: bigint

  @Field(() => Money, { description: 'Credits minus held: what can be spent.' })
  available!: bigint

  @Field(() => String, { description: 'Always USD.' })
  currency!: string
}

export function presentBalance({ creditsNanos, heldNanos, availableNanos }: BalanceRow): Balance {
  return { credits: creditsNanos, held: heldNanos, available: availableNanos, currency: 'USD' }
}

/** The account of subgraph `accounts`: what it owns is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string
}

const balanceOf = batched({
  findAll: (context, accountIds) => readBalances(context, { accountIds }),
  idOf: ({ accountId }) => accountId,
})

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => Balance, {
    nullable: true,
    description: 'What the account owns, and what of it can be spent.',
  })
  async balance(@Ctx() context: SubgraphContext): Promise<Balance> {
    const { accountId } = requireCaller(context)
    return presentBalance((await balanceOf(context, accountId))!)
  }
}

/** The balance as it changes (docs/behaviour.md, GraphQL). */
@Resolver(() => Balance)
export class BalanceSubscription {
  @Subscription(() => Balance, {
    subscribe: ({ context }: { context: SubgraphContext }) =>
      context.balanceWatch.watch(requireCaller(context).accountId),
    description:
      'The balance of the account as it is now, then each time that it has changed, without end: top-ups at once, charges within about a second.',
  })
  balanceChanged(@Root() balance: BalanceRow): Balance {
    return presentBalance(balance)
  }
}
