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
  description: 'The origin of a transaction.',
  values: {
    usage: 'A charge for a request or a task.',
    refund: 'A refund of a charge whose client received an error.',
    stripe: 'A top-up paid by card.',
    payment_refund:
      'The refund of a payment to the card. Positive if the refund failed and its amount was added again.',
    dispute: 'A payment that the cardholder disputed. Positive if the funds were reinstated.',
    grant: 'A credit by an operator.',
    trial: 'The credit of a new account whose owner has confirmed an e-mail address.',
    adjustment: 'A debit by an operator.',
  },
})

export const TransactionStatus = graphEnum<AnyStatus>('TransactionStatus', {
  description: 'The status of a transaction. Only completed changes are listed as transactions.',
  values: { completed: "The transaction has changed the account's credits." },
})

@InputType({
  description:
    "Filters transactions. A transaction must match every given field, and any one of a field's values.",
})
export class TransactionFilterInput {
  @Field(() => [PaymentMethod], { nullable: true, description: 'Transactions with one of these origins.' })
  paymentMethods?: AnyMethod[] | null

  @Field(() => [TransactionStatus], {
    nullable: true,
    description: 'Transactions with one of these statuses.',
  })
  statuses?: AnyStatus[] | null

  @Field(() => [ID], { nullable: true, description: 'Charges of one of these API keys.' })
  apiKeyIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Transactions at or after this time.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Transactions before this time.' })
  until?: Date | null
}

@ArgsType()
export class TransactionArgs extends AccountConnectionArgs {
  @Field(() => TransactionFilterInput, {
    nullable: true,
    description:
      'The filter. Without it, all transactions are listed. If the search for a page takes more than 100 ms, the page ends early. Continue with its end cursor.',
  })
  filter?: TransactionFilterInput | null
}

/** Parses the filter. Throws `validation_failed` with the name of the argument. */
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
