import { ArgsType, Field, ID, InputType } from 'type-graphql'
import type {
  PaymentMethod as AnyMethod,
  TransactionStatus as AnyStatus,
  TransactionFilter,
} from '../../domain/billing/transaction-filter.ts'
import { AccountConnectionArgs, checkList } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { keyIdsOf } from '../runtime/key-scope.ts'
import { DateTime } from '../runtime/scalars.ts'

export const PaymentMethod = graphEnum<AnyMethod>('PaymentMethod', {
  description: 'How a transaction came about.',
  values: {
    usage: 'A request or task was charged.',
    refund: 'A charge was given back, as its client had been told of a failure.',
    stripe: 'A top-up was paid by card.',
    payment_refund: 'A payment was given back to the card; positive where that failed.',
    dispute: 'The owner of the card disputed a payment; positive where that was lost.',
    grant: 'An operator added money.',
    adjustment: 'An operator took money away.',
  },
})

export const TransactionStatus = graphEnum<AnyStatus>('TransactionStatus', {
  description: 'How a transaction stands. What is not completed is no transaction yet.',
  values: { completed: 'It has changed the credits.' },
})

@InputType({
  description: 'Which transactions are wanted. Several values of one field mean any of them; fields combine.',
})
export class TransactionFilterInput {
  @Field(() => [PaymentMethod], { nullable: true, description: 'Came about in one of these ways.' })
  paymentMethods?: AnyMethod[] | null

  @Field(() => [TransactionStatus], { nullable: true, description: 'Have one of these statuses.' })
  statuses?: AnyStatus[] | null

  @Field(() => [ID], { nullable: true, description: 'Were spent through one of these keys.' })
  apiKeyIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Were made at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Were made before this time.' })
  until?: Date | null
}

@ArgsType()
export class TransactionArgs extends AccountConnectionArgs {
  @Field(() => TransactionFilterInput, {
    nullable: true,
    description:
      'The wanted transactions; all unless given. A page whose search takes more than 100 ms ends early: continue after its cursor.',
  })
  filter?: TransactionFilterInput | null
}

/** Reads a filter as the verb takes it. Throws `validation_failed`, naming the argument. */
export function filterOf(filter: TransactionFilterInput | null | undefined): TransactionFilter {
  const { paymentMethods, statuses, apiKeyIds, since, until } = filter ?? {}
  return {
    methods: checkList(paymentMethods, 'filter.paymentMethods'),
    statuses: checkList(statuses, 'filter.statuses'),
    keyIds: keyIdsOf(apiKeyIds),
    since: since ?? undefined,
    until: until ?? undefined,
  }
}
