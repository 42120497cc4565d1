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
  type PaymentKind,
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
  description: 'The status of a top-up.',
  values: {
    pending: 'The top-up has not been paid, or the payment is being processed.',
    completed: 'The top-up was paid and added to the credits.',
    failed: 'The payment failed.',
    expired: 'The top-up was not paid within 24 hours.',
  },
})

const TopUpKind = graphEnum<PaymentKind>('TopUpKind', {
  description: 'The kind of a top-up.',
  values: {
    checkout: 'The user pays on the page at `checkoutUrl`.',
    automatic: 'The saved card was charged because the available credits fell below the threshold.',
  },
})

@ObjectType({ description: 'A purchase of credits by card.' })
@Directive('@key(fields: "id")')
export class TopUp {
  @Field(() => ID, { description: "The top-up's ID." })
  id!: string

  @Field(() => TopUpKind, { description: 'Whether the user pays, or the saved card is charged.' })
  kind!: PaymentKind

  @Field(() => Money, { description: 'The amount to add to the credits, in US dollars, without tax.' })
  amount!: bigint

  @Field(() => Money, {
    nullable: true,
    description: 'The tax that is paid in addition, in US dollars. `null` until it is known.',
  })
  tax!: bigint | null

  @Field(() => String, { description: 'The currency. Always `USD`.' })
  currency!: string

  @Field(() => TopUpStatus, { description: "The top-up's status." })
  status!: PaymentStatus

  @Field(() => String, {
    nullable: true,
    description: 'The URL of the payment page. `null` until the payment processor has created it.',
  })
  checkoutUrl!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      "The payment processor's reason for the failure of an automatic top-up, such as `insufficient_funds`. `null` for other top-ups.",
  })
  failure!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      "The URL of the payment processor's receipt. `null` until it exists. The URL expires; the billing portal keeps all receipts.",
  })
  receiptUrl!: string | null

  @Field(() => String, {
    nullable: true,
    description: "The URL of the payment processor's invoice. `null` if there is none.",
  })
  invoiceUrl!: string | null

  @Field(() => String, { nullable: true, description: 'The URL of the invoice as a PDF file, or `null`.' })
  invoicePdfUrl!: string | null

  @Field(() => DateTime, { description: 'When the top-up was started.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the amount was added to the credits. `null` until then.',
  })
  completedAt!: Date | null
}

export function presentTopUp({ amountNanos, taxNanos, currency, ...rest }: Payment): TopUp {
  return { ...rest, amount: amountNanos, tax: taxNanos, currency: currency.toUpperCase() }
}

@InputType({ description: 'A purchase of credits.' })
export class StartTopUpInput {
  @Field(() => Money, {
    description: 'The amount in US dollars, 1 to 10,000, with at most two decimal places.',
  })
  amount!: bigint

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to save the card for automatic top-ups. Defaults to false.',
  })
  saveCard?: boolean | null

  @Field(() => String, {
    nullable: true,
    description:
      'An idempotency key: 1 to 255 visible ASCII characters or spaces. For 24 hours, a repeat with the same key returns the same top-up.',
  })
  idempotencyKey?: string | null
}

@ObjectType({ description: 'The result of starting a top-up.' })
export class StartTopUpPayload {
  @Field(() => TopUp, { description: 'The top-up, with the URL of its payment page.' })
  topUp!: TopUp
}

const topUpById = batched({
  findAll: async (context, ids) =>
    context.caller && context.caller.kind !== 'key'
      ? findPayments(context, { accountId: context.caller.accountId, ids })
      : [],
  idOf: ({ id }) => id,
})

/** Returns the top-up with this ID, or `undefined` if the caller cannot read it. */
export async function findTopUp(context: SubgraphContext, id: string): Promise<TopUp | undefined> {
  const payment = await topUpById(context, id)
  return payment && presentTopUp(payment)
}

const TopUpConnection = connection(TopUp)

@Resolver(() => TopUp)
export class TopUpResolver {
  @Query(() => TopUpConnection, { nullable: true, description: "Lists the account's top-ups, newest first." })
  async topUps(
    @Args(() => AccountConnectionArgs) args: AccountConnectionArgs,
    @Ctx() context: SubgraphContext,
  ) {
    const { accountId, quotaAccountId } = requireReader(context, args.accountId)
    const { queries } = context
    const slice = sliceOf(args, paymentOrder)
    return toConnection(slice, {
      rows: await queries.run(quotaAccountId, from => listPayments(from, { accountId, slice })),
      positionOf: ({ id }) => [id],
      present: presentTopUp,
      countAll: () => queries.run(quotaAccountId, from => countPayments(from, { accountId, max: maxPaged })),
    })
  }

  @Query(() => TopUp, { nullable: true, description: 'Returns a top-up of the account.' })
  async topUp(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The top-up's ID." }) id: string,
  ): Promise<TopUp> {
    requireManager(context)
    const found = await findTopUp(context, id)
    if (found) return found
    throw new Problem('not_found', { message: 'The account has no top-up with this ID.' })
  }

  @Mutation(() => StartTopUpPayload, {
    nullable: true,
    description:
      'Starts a purchase of credits by card. The user pays on the page at the returned checkout URL.',
  })
  async startTopUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => StartTopUpInput, { description: 'The amount to buy.' }) input: StartTopUpInput,
  ): Promise<StartTopUpPayload> {
    const { accountId } = requireManager(context)
    const { amount: amountNanos, saveCard, idempotencyKey } = input
    const payment = await startTopUp(context, {
      accountId,
      amountNanos,
      savesCard: saveCard ?? undefined,
      idempotencyKey: idempotencyKey ?? undefined,
    })
    return { topUp: presentTopUp(payment) }
  }
}
