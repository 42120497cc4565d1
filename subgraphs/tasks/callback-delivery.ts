import { Ctx, Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type {
  Delivery,
  DeliveryState,
  DeliveryTry as TryRow,
} from '../../domain/callbacks/list-deliveries.ts'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { triesOfDelivery } from './find-deliveries.ts'

export const CallbackState = graphEnum<DeliveryState>('CallbackState', {
  description: 'The state of a delivery.',
  values: {
    pending: 'The delivery is being sent, or its next attempt is scheduled.',
    delivered: 'The receiver responded with 2xx.',
    failed: 'No attempt of the retry schedule succeeded.',
    gone: 'The receiver responded with 410, so the delivery is not retried.',
  },
})

@ObjectType({ description: 'One attempt of a delivery.' })
class CallbackTry {
  @Field(() => Int, { description: 'The number of the attempt, starting at 1.' })
  number!: number

  @Field(() => DateTime, { description: 'When the attempt began.' })
  startedAt!: Date

  @Field(() => Int, {
    nullable: true,
    description:
      'The duration of the attempt, in milliseconds. `null` while the attempt runs, or if the worker was interrupted.',
  })
  durationMs!: number | null

  @Field(() => Int, {
    nullable: true,
    description: "The HTTP status of the receiver's response. `null` if the receiver did not respond.",
  })
  status!: number | null

  @Field(() => String, {
    nullable: true,
    description:
      'The reason why the attempt failed. `null` if the HTTP status is the reason, or if the attempt succeeded.',
  })
  error!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      "The first 1,024 bytes of the body of the receiver's response. `null` if the receiver did not respond.",
  })
  answer!: string | null
}

@ObjectType({
  description: 'A message to a URL of the account: the callback of a task, or a webhook about an alert.',
})
@Directive('@key(fields: "id")')
export class CallbackDelivery {
  /** The delivery's account. Not a field of the graph. */
  accountId!: string

  /** The ID of the task, or null for a message about an alert. Not a field of the graph. */
  taskId!: string | null

  /** The URL to which the message is sent. It can contain a secret of the receiver. Not a field of the graph. */
  receiverUrl!: string

  @Field(() => ID, { description: "The delivery's ID, sent as the header `webhook-id` with each attempt." })
  id!: string

  @Field(() => String, { description: 'The type of the event, for example `task.completed`.' })
  event!: string

  @Field(() => String, {
    description:
      'The URL to which the message is sent. For messages about alerts, only its origin if the caller cannot read the settings for alerts.',
  })
  url(@Ctx() context: SubgraphContext): string {
    const isReadable = this.taskId !== null || isPermitted('Account.alertSettings', context)
    return isReadable ? this.receiverUrl : new URL(this.receiverUrl).origin
  }

  @Field(() => CallbackState, { description: 'The state of the delivery.' })
  state!: DeliveryState

  @Field(() => Int, { description: 'The number of attempts so far.' })
  tryCount!: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next attempt begins. `null` while an attempt runs, or if no attempt is scheduled.',
  })
  nextTryAt!: Date | null

  @Field(() => DateTime, { description: 'When the event happened.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the delivery succeeded or failed. `null` while it is pending.',
  })
  endedAt!: Date | null

  @Field(() => [CallbackTry], { nullable: true, description: 'The attempts, oldest first.' })
  async tries(@Ctx() context: SubgraphContext): Promise<TryRow[]> {
    return triesOfDelivery(context, this)
  }
}

export function presentDelivery({ tries, url, ...rest }: Delivery): CallbackDelivery {
  return Object.assign(new CallbackDelivery(), { ...rest, tryCount: tries, receiverUrl: url })
}
