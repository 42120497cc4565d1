import {
  Arg,
  Args,
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
  defaultOverlapHours,
  readCallbackSecrets,
  rotateCallbackSecret,
} from '../../domain/callbacks/callback-secrets.ts'
import {
  countDeliveries,
  deliveryOrder,
  listDeliveries,
  positionOfDelivery,
} from '../../domain/callbacks/list-deliveries.ts'
import { sendAgain } from '../../domain/callbacks/send-again.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller, requireManager, requireReader } from '../runtime/call.ts'
import { AccountConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { CallbackDelivery, presentDelivery } from './callback-delivery.ts'
import { findDelivery } from './find-deliveries.ts'

@ObjectType({ description: 'What callbacks of the account are signed with, as Standard Webhooks writes it.' })
class CallbackSecret {
  @Field(() => String, { description: '`whsec_` and the base64 of 32 bytes.' })
  secret!: string

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When it stops signing; null for the current one.' })
  endsAt!: Date | null
}

@InputType({ description: 'The delivery to send again.' })
class SendCallbackAgainInput {
  @Field(() => ID, { description: 'Its id.' })
  id!: string
}

@ObjectType({ description: 'The delivery as it is now.' })
class SendCallbackAgainPayload {
  @Field(() => CallbackDelivery, { description: 'The delivery.' })
  callbackDelivery!: CallbackDelivery
}

@InputType({ description: 'How the secret is replaced.' })
class RotateCallbackSecretInput {
  @Field(() => Int, {
    defaultValue: defaultOverlapHours,
    description: 'How many hours the one before signs beside the new one: 0 to 168.',
  })
  overlapHours!: number
}

@ObjectType({ description: 'What callbacks are signed with from now on.' })
class RotateCallbackSecretPayload {
  @Field(() => [CallbackSecret], {
    description: 'The new secret, then those that still sign beside it; at most 3.',
  })
  callbackSecrets!: CallbackSecret[]
}

const CallbackDeliveryConnection = connection(CallbackDelivery)

/** Callbacks: who may see a task sees its delivery, and sends it again; secrets are a manager's (docs/callbacks.md). */
@Resolver(() => CallbackDelivery)
export class CallbackResolver {
  @Query(() => CallbackDelivery, { nullable: true, description: 'One delivery of the account.' })
  async callbackDelivery(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<CallbackDelivery> {
    requireCaller(context)
    return presentDelivery(await requireDelivery(context, id))
  }

  @Query(() => CallbackDeliveryConnection, {
    nullable: true,
    description: 'The deliveries of the account, newest first.',
  })
  async callbackDeliveries(
    @Args(() => AccountConnectionArgs) args: AccountConnectionArgs,
    @Ctx() context: SubgraphContext,
  ) {
    const { accountId, turnsOf } = requireReader(context, args.accountId)
    const { queries } = context
    const slice = sliceOf(args, deliveryOrder)
    return toConnection(slice, {
      rows: await queries.run(turnsOf, from => listDeliveries(from, { accountId, slice })),
      positionOf: positionOfDelivery,
      present: presentDelivery,
      countAll: () => queries.run(turnsOf, from => countDeliveries(from, { accountId, most: maxPaged })),
    })
  }

  @Query(() => [CallbackSecret], {
    nullable: true,
    description:
      'What callbacks are signed with: the current secret, then those that it replaces; at most 3.',
  })
  async callbackSecrets(@Ctx() context: SubgraphContext): Promise<CallbackSecret[]> {
    const { accountId } = requireManager(context)
    return readCallbackSecrets(context, { accountId })
  }

  @Mutation(() => SendCallbackAgainPayload, {
    nullable: true,
    description: 'Sends a delivery again at once, with the whole schedule where that fails.',
  })
  async sendCallbackAgain(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SendCallbackAgainInput, { description: 'Which one.' }) { id }: SendCallbackAgainInput,
  ): Promise<SendCallbackAgainPayload> {
    requireCaller(context)
    const { accountId } = await requireDelivery(context, id)
    return { callbackDelivery: presentDelivery(await sendAgain(context, { accountId, id })) }
  }

  @Mutation(() => RotateCallbackSecretPayload, {
    nullable: true,
    description: 'Makes a new secret the current one. For a while both sign.',
  })
  async rotateCallbackSecret(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RotateCallbackSecretInput, { description: 'How.' })
    { overlapHours }: RotateCallbackSecretInput,
  ): Promise<RotateCallbackSecretPayload> {
    const { accountId } = requireManager(context)
    return { callbackSecrets: await rotateCallbackSecret(context, { accountId, overlapHours }) }
  }
}

async function requireDelivery(context: SubgraphContext, id: string) {
  const delivery = await findDelivery(context, id)
  if (delivery) return delivery
  throw new Problem('not_found', { message: 'No delivery of this account has that id.' })
}
