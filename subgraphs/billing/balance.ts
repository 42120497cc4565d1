import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root, Subscription } from 'type-graphql'
import { type Balance as BalanceRow, readBalances } from '../../domain/billing/read-balances.ts'
import { requireCaller } from '../runtime/call.ts'
import { Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Account } from './account.ts'

@ObjectType({ description: "An account's balance." })
export class Balance {
  @Field(() => Money, { description: "The account's credits, in US dollars. Only transactions change them." })
  credits!: bigint

  @Field(() => Money, {
    description: 'The amount reserved for tasks and requests in progress, in US dollars.',
  })
  held!: bigint

  @Field(() => Money, { description: 'The amount that can be spent, in US dollars: `credits` minus `held`.' })
  available!: bigint

  @Field(() => String, { description: 'The currency. Always `USD`.' })
  currency!: string
}

export function presentBalance({ creditsNanos, heldNanos, availableNanos }: BalanceRow): Balance {
  return { credits: creditsNanos, held: heldNanos, available: availableNanos, currency: 'USD' }
}

const balanceOf = batched({
  findAll: (context, accountIds) => readBalances(context, { accountIds }),
  idOf: ({ accountId }) => accountId,
})

@Resolver(() => Account)
export class AccountBalanceResolver {
  @FieldResolver(() => Balance, {
    nullable: true,
    description: "The account's balance.",
  })
  async balance(@Ctx() context: SubgraphContext): Promise<Balance> {
    const { accountId } = requireCaller(context)
    return presentBalance((await balanceOf(context, accountId))!)
  }
}

/** The subscription to the balance (docs/behaviour.md, GraphQL). */
@Resolver(() => Balance)
export class BalanceSubscription {
  @Subscription(() => Balance, {
    subscribe: ({ context }: { context: SubgraphContext }) =>
      context.balanceWatch.watch(requireCaller(context).accountId),
    description:
      "Sends the account's current balance, then the balance after each change. Top-ups are sent at once, charges within about one second. The stream does not end.",
  })
  balanceChanged(@Root() balance: BalanceRow): Balance {
    return presentBalance(balance)
  }
}
