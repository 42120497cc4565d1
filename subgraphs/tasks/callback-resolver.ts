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
import { readCallbackSecrets, rotateCallbackSecret } from '../../domain/callbacks/callback-secrets.ts'
import {
  countDeliveries,
  type DeliveryState,
  deliveryOrder,
  listDeliveries,
  positionOfDelivery,
} from '../../domain/callbacks/list-deliveries.ts'
import { sendAgain } from '../../domain/callbacks/send-again.ts'
import { defaultOverlapHours } from '../../domain/overlap-hours.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller, requireManager, requireReader } from '../runtime/call.ts'
import {
  AccountConnectionArgs,
  checkList,
  connection,
  maxPaged,
  sliceOf,
  toConnection,
} from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { CallbackDelivery, CallbackState, presentDelivery } from './callback-delivery.ts'
import { findDelivery } from './find-deliveries.ts'

@ObjectType({
  description: "A secret with which the account's callbacks are signed, in the format of Standard Webhooks.",
})
class CallbackSecret {
  @Field(() => String, { description: 'The secret: `whsec_` followed by 32 bytes in base64.' })
  secret!: string

  @Field(() => DateTime, { description: 'When the secret was created.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the secret stops being used. `null` for the current secret.',
  })
  endsAt!: Date | null
}

@InputType({ description: 'The delivery to resend.' })
class SendCallbackAgainInput {
  @Field(() => ID, { description: "The delivery's ID." })
  id!: string
}

@ObjectType({ description: 'The result of resending a delivery.' })
class SendCallbackAgainPayload {
  @Field(() => CallbackDelivery, { description: 'The delivery.' })
  callbackDelivery!: CallbackDelivery
}

@InputType({ description: 'The settings for a new secret.' })
class RotateCallbackSecretInput {
  @Field(() => Int, {
    defaultValue: defaultOverlapHours,
    description: 'The time during which the previous secret also signs callbacks, in hours, 0 to 168.',
  })
  overlapHours!: number
}

@ObjectType({ description: 'The result of rotating the secret.' })
class RotateCallbackSecretPayload {
  @Field(() => [CallbackSecret], {
    description: 'The new secret, then the previous secrets that still sign callbacks. At most 3.',
  })
  callbackSecrets!: CallbackSecret[]
}

@InputType({ description: 'Filters deliveries.' })
class CallbackDeliveryFilterInput {
  @Field(() => [CallbackState], { nullable: true, description: 'Deliveries in one of these states.' })
  states?: DeliveryState[] | null
}

@ArgsType()
class CallbackDeliveryArgs extends AccountConnectionArgs {
  @Field(() => CallbackDeliveryFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all deliveries are listed.',
  })
  filter?: CallbackDeliveryFilterInput | null
}

const CallbackDeliveryConnection = connection(CallbackDelivery)

/**
 * Callbacks. Callers that can read a task can read and resend its delivery. Secrets require a session or a provisioning
 * key (docs/callbacks.md).
 */
@Resolver(() => CallbackDelivery)
export class CallbackResolver {
  @Query(() => CallbackDelivery, { nullable: true, description: 'Returns a delivery of the account.' })
  async callbackDelivery(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The delivery's ID." }) id: string,
  ): Promise<CallbackDelivery> {
    requireCaller(context)
    return presentDelivery(await requireDelivery(context, id))
  }

  @Query(() => CallbackDeliveryConnection, {
    nullable: true,
    description: "Lists the account's deliveries, newest first.",
  })
  async callbackDeliveries(
    @Args(() => CallbackDeliveryArgs) args: CallbackDeliveryArgs,
    @Ctx() context: SubgraphContext,
  ) {
    const { accountId, quotaAccountId } = requireReader(context, args.accountId)
    const { queries } = context
    const slice = sliceOf(args, deliveryOrder)
    const filter = { states: checkList(args.filter?.states, 'filter.states') }
    return toConnection(slice, {
      rows: await queries.run(quotaAccountId, from => listDeliveries(from, { accountId, filter, slice })),
      positionOf: positionOfDelivery,
      present: presentDelivery,
      countAll: () =>
        queries.run(quotaAccountId, from => countDeliveries(from, { accountId, filter, max: maxPaged })),
    })
  }

  @Query(() => [CallbackSecret], {
    nullable: true,
    description:
      'Lists the secrets with which callbacks are signed: the current secret, then the previous secrets that still sign callbacks. At most 3.',
  })
  async callbackSecrets(@Ctx() context: SubgraphContext): Promise<CallbackSecret[]> {
    const { accountId } = requireManager(context)
    return readCallbackSecrets(context, { accountId })
  }

  @Mutation(() => SendCallbackAgainPayload, {
    nullable: true,
    description: 'Resends a delivery at once. If that fails, the retry schedule starts again.',
  })
  async sendCallbackAgain(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SendCallbackAgainInput, { description: 'The delivery to resend.' }) {
      id,
    }: SendCallbackAgainInput,
  ): Promise<SendCallbackAgainPayload> {
    requireCaller(context)
    const { accountId } = await requireDelivery(context, id)
    return { callbackDelivery: presentDelivery(await sendAgain(context, { accountId, id })) }
  }

  @Mutation(() => RotateCallbackSecretPayload, {
    nullable: true,
    description:
      'Creates a new secret. During the overlap, callbacks are signed with both the previous and the new secret.',
  })
  async rotateCallbackSecret(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RotateCallbackSecretInput, { description: 'The settings.' })
    { overlapHours }: RotateCallbackSecretInput,
  ): Promise<RotateCallbackSecretPayload> {
    const { accountId } = requireManager(context)
    return { callbackSecrets: await rotateCallbackSecret(context, { accountId, overlapHours }) }
  }
}

async function requireDelivery(context: SubgraphContext, id: string) {
  const delivery = await findDelivery(context, id)
  if (delivery) return delivery
  throw new Problem('not_found', { message: 'The account has no delivery with this ID.' })
}
