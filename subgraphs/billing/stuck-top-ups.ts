import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { platformId } from '../../domain/audit/record-action.ts'
import { endAttempt } from '../../domain/automatic-top-ups/end-attempt.ts'
import {
  countStuckAttempts,
  listStuckAttempts,
  type StuckAttempt,
  stuckOrder,
} from '../../domain/automatic-top-ups/stuck-attempts.ts'
import { reasonDescription } from '../runtime/audit-mutations.ts'
import { requireOperator } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentTopUp, TopUp } from './top-up.ts'

@ObjectType({
  description:
    'An automatic top-up whose outcome is unknown: Stripe does not answer, or does not know the charge.',
})
export class StuckTopUp {
  @Field(() => ID, { description: "The top-up's ID." })
  id!: string

  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => Money, { description: 'The amount of the top-up, in US dollars, without tax.' })
  amount!: bigint

  @Field(() => Money, {
    nullable: true,
    description: 'The tax that is paid in addition, in US dollars. `null` if it is unknown.',
  })
  tax!: bigint | null

  @Field(() => ID, {
    nullable: true,
    description: "Stripe's ID of the charge, for its dashboard. `null` if no charge was created.",
  })
  paymentIntentId!: string | null

  @Field(() => DateTime, { description: 'When the top-up was started.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When Stripe was last called about the top-up.' })
  calledAt!: Date
}

function presentStuckTopUp({ amountNanos: amount, taxNanos: tax, ...rest }: StuckAttempt): StuckTopUp {
  return { ...rest, amount, tax }
}

@InputType({ description: 'The automatic top-up to end and the reason.' })
class EndTopUpInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => ID, { description: "The top-up's ID." })
  id!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@ObjectType({ description: 'The result of ending an automatic top-up.' })
class EndTopUpPayload {
  @Field(() => TopUp, { description: 'The top-up, which has failed.' })
  topUp!: TopUp
}

const StuckTopUpConnection = connection(StuckTopUp)

/** The query and the mutation with which operators find and end automatic top-ups without an outcome (docs/payments.md). */
@Resolver(() => StuckTopUp)
export class StuckTopUpResolver {
  @Query(() => StuckTopUpConnection, {
    nullable: true,
    description:
      'Lists the automatic top-ups of all accounts that have been in progress for 75 minutes, oldest first. Requires an operator key.',
  })
  async stuckTopUps(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: SubgraphContext) {
    requireOperator(context)
    const { queries } = context
    const slice = sliceOf(args, stuckOrder)
    return toConnection(slice, {
      rows: await queries.run(platformId, from => listStuckAttempts(from, { slice })),
      positionOf: ({ id, accountId }) => [id, accountId],
      present: presentStuckTopUp,
      countAll: () => queries.run(platformId, from => countStuckAttempts(from, { max: maxPaged })),
    })
  }

  @Mutation(() => EndTopUpPayload, {
    nullable: true,
    description:
      'Cancels the charge of an automatic top-up in progress and ends the top-up as failed. If Stripe does not know the charge, only a stuck top-up is ended. Requires an operator key.',
  })
  async endTopUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => EndTopUpInput, { description: 'The account, the top-up and the reason.' })
    { accountId, id, reason }: EndTopUpInput,
  ): Promise<EndTopUpPayload> {
    requireOperator(context)
    const ended = await endAttempt(context, { accountId, id, reason, action: context.action })
    return { topUp: presentTopUp(ended) }
  }
}
