import {
  Arg,
  Args,
  Ctx,
  Directive,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import {
  countPayments,
  findPayments,
  listPayments,
  type Payment,
  type PaymentStatus,
  paymentOrder,
} from '../../domain/billing/payment-records.ts'
import { startTopUp } from '../../domain/billing/start-top-up.ts'
import { Problem } from '../../schema/errors.ts'
import { requireManager, requireReader } from '../runtime/call.ts'
import { AccountConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

export const TopUpStatus = graphEnum<PaymentStatus>('TopUpStatus', {
  description: 'What became of a top-up.',
  values: {
    pending: 'It waits to be paid, or for the money to come.',
    completed: 'It was paid and added to the credits.',
    failed: 'No money came.',
    expired: 'Nobody paid within a day.',
  },
})

@ObjectType({ description: 'Dollars that come in by card: what was asked for, and what became of it.' })
@Directive('@key(fields: "id")')
export class TopUp {
  @Field(() => ID, { description: 'The id of the top-up.' })
  id!: string

  @Field(() => Money, { description: 'What is paid, and added to the credits.' })
  amount!: bigint

  @Field(() => String, { description: 'Always USD.' })
  currency!: string

  @Field(() => TopUpStatus, { description: 'What became of it.' })
  status!: PaymentStatus

  @Field(() => String, { nullable: true, description: 'The page on which the card is entered.' })
  checkoutUrl!: string | null

  @Field(() => DateTime, { description: 'When it was started.' })
  createdAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When it was added to the credits.' })
  completedAt!: Date | null
}

export function presentTopUp({ amountNanos, currency, ...rest }: Payment): TopUp {
  return { ...rest, amount: amountNanos, currency: currency.toUpperCase() }
}

@InputType({ description: 'A purchase of credits.' })
export class StartTopUpInput {
  @Field(() => Money, { description: 'From 1 to 10,000 dollars, with at most two decimals.' })
  amount!: bigint

  @Field(() => String, {
    nullable: true,
    description: 'A name of your own: for a day the same name stands for the same top-up.',
  })
  idempotencyKey?: string | null
}

@ObjectType({ description: 'A top-up that was started.' })
export class StartTopUpPayload {
  @Field(() => TopUp, { description: 'The top-up, with the page to pay on.' })
  topUp!: TopUp
}

const topUpById = batched({
  findAll: async (context, ids) =>
    context.caller && context.caller.kind !== 'key'
      ? findPayments(context, { accountId: context.caller.accountId, ids })
      : [],
  idOf: ({ id }) => id,
})

/** The top-up with that id, where the caller may see it. */
export async function findTopUp(context: SubgraphContext, id: string): Promise<TopUp | undefined> {
  const payment = await topUpById(context, id)
  return payment && presentTopUp(payment)
}

const TopUpConnection = connection(TopUp)

@Resolver(() => TopUp)
export class TopUpResolver {
  @Query(() => TopUpConnection, { nullable: true, description: 'The top-ups of the account, newest first.' })
  async topUps(
    @Args(() => AccountConnectionArgs) args: AccountConnectionArgs,
    @Ctx() context: SubgraphContext,
  ) {
    const { accountId, turnsOf } = requireReader(context, args.accountId)
    const { queries } = context
    const slice = sliceOf(args, paymentOrder)
    return toConnection(slice, {
      rows: await queries.run(turnsOf, from => listPayments(from, { accountId, slice })),
      positionOf: ({ id }) => [id],
      present: presentTopUp,
      countAll: () => queries.run(turnsOf, from => countPayments(from, { accountId, most: maxPaged })),
    })
  }

  @Query(() => TopUp, { nullable: true, description: 'One top-up of the account.' })
  async topUp(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<TopUp> {
    requireManager(context)
    const found = await findTopUp(context, id)
    if (found) return found
    throw new Problem('not_found', { message: 'The account has no top-up of that id.' })
  }

  @Mutation(() => StartTopUpPayload, { nullable: true, description: 'Starts a purchase of credits by card.' })
  async startTopUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => StartTopUpInput, { description: 'What is bought.' }) input: StartTopUpInput,
  ): Promise<StartTopUpPayload> {
    const { accountId } = requireManager(context)
    const { amount: amountNanos, idempotencyKey } = input
    const payment = await startTopUp(context, {
      accountId,
      amountNanos,
      idempotencyKey: idempotencyKey ?? undefined,
    })
    return { topUp: presentTopUp(payment) }
  }
}
