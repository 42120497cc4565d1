import { Ctx, Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type {
  Delivery,
  DeliveryState,
  DeliveryTry as TryRow,
} from '../../domain/callbacks/list-deliveries.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { triesOfDelivery } from './find-deliveries.ts'

const CallbackState = graphEnum<DeliveryState>('CallbackState', {
  description: 'What has become of a delivery.',
  values: {
    pending: 'It is being sent, or waits for its next try.',
    delivered: 'The receiver has taken it.',
    failed: 'It was tried for a day and not taken.',
    gone: 'The receiver answered 410: it wants no more.',
  },
})

@ObjectType({ description: 'One try of a delivery.' })
class CallbackTry {
  @Field(() => Int, { description: 'Counted from 1.' })
  number!: number

  @Field(() => DateTime, { description: 'When it began.' })
  startedAt!: Date

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds; null while it runs, and where it was broken off on our side.',
  })
  durationMs!: number | null

  @Field(() => Int, { nullable: true, description: 'The HTTP status; null where nothing answered.' })
  status!: number | null

  @Field(() => String, { nullable: true, description: 'Why it failed, where the status does not say it.' })
  error!: string | null

  @Field(() => String, { nullable: true, description: 'The first 1,024 bytes of the answer.' })
  answer!: string | null
}

@ObjectType({ description: 'Something that is sent, or was, to an address of the account.' })
@Directive('@key(fields: "id")')
export class CallbackDelivery {
  /** The account that the delivery belongs to; no field of the graph. */
  accountId!: string

  @Field(() => ID, { description: 'The `webhook-id` of each try.' })
  id!: string

  @Field(() => String, { description: 'What has happened, e.g. `task.completed`.' })
  event!: string

  @Field(() => String, { description: 'Where it is sent.' })
  url!: string

  @Field(() => CallbackState, { description: 'What has become of it.' })
  state!: DeliveryState

  @Field(() => Int, { description: 'How many tries were made.' })
  tryCount!: number

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the next try begins; null where one runs, or none comes.',
  })
  nextTryAt!: Date | null

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When it was taken or given up.' })
  endedAt!: Date | null

  @Field(() => [CallbackTry], { nullable: true, description: 'Its tries, the first one first; at most 100.' })
  async tries(@Ctx() context: SubgraphContext): Promise<TryRow[]> {
    return triesOfDelivery(context, this)
  }
}

export function presentDelivery({ tries, ...rest }: Delivery): CallbackDelivery {
  return Object.assign(new CallbackDelivery(), { ...rest, tryCount: tries })
}
