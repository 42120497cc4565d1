import { Arg, Args, Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import {
  countTransactions,
  findTransactions,
  listTransactions,
  type Transaction as TransactionRow,
  transactionOrder,
} from '../../domain/billing/list-transactions.ts'
import type {
  PaymentMethod as AnyMethod,
  TransactionStatus as AnyStatus,
} from '../../domain/billing/transaction-filter.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller, requireReader } from '../runtime/call.ts'
import { connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { filterOf, PaymentMethod, TransactionArgs, TransactionStatus } from './transaction-lists.ts'

/** Entities of other subgraphs. */
const ApiKey = entityReference('ApiKey')
const RequestLog = entityReference('RequestLog')
const Task = entityReference('Task')

@ObjectType({
  description: "A change of an account's credits: a charge, a refund, a top-up or a change by an operator.",
})
@Directive('@key(fields: "id")')
export class Transaction {
  @Field(() => ID, { description: "The transaction's ID. IDs increase with time." })
  id!: string

  @Field(() => Money, { description: 'The change of the credits, in US dollars. Negative for charges.' })
  credits!: bigint

  @Field(() => Money, { description: 'The absolute value of `credits`, in US dollars.' })
  amount!: bigint

  @Field(() => PaymentMethod, { description: 'The origin of the transaction.' })
  paymentMethod!: AnyMethod

  @Field(() => TransactionStatus, { description: 'The status of the transaction.' })
  status!: AnyStatus

  @Field(() => String, {
    nullable: true,
    description:
      "The reason that an operator gave, or the payment processor's ID of a refund or dispute. `null` for other transactions.",
  })
  reason!: string | null

  @Field(() => ApiKey, {
    nullable: true,
    description: 'The API key of a charge. `null` for other transactions.',
  })
  apiKey!: { id: string } | null

  @Field(() => RequestLog, {
    nullable: true,
    description:
      'The request that was charged, with the items of its cost. `null` for other transactions. Requests are kept for two months.',
  })
  request!: { id: string } | null

  @Field(() => Task, {
    nullable: true,
    description: 'The task that was charged. `null` for other transactions.',
  })
  task!: { id: string } | null

  @Field(() => DateTime, { description: 'When the credits changed.' })
  createdAt!: Date
}

export function presentTransaction(row: TransactionRow): Transaction {
  const { creditsNanos, apiKeyId, requestId, taskId, ...rest } = row
  return {
    ...rest,
    credits: creditsNanos,
    amount: creditsNanos < 0n ? -creditsNanos : creditsNanos,
    apiKey: referenceTo(apiKeyId),
    request: referenceTo(requestId),
    task: referenceTo(taskId),
  }
}

function referenceTo(id: string | null): { id: string } | null {
  return id === null ? null : { id }
}

const transactionById = batched({
  findAll: async (context, ids) =>
    context.caller ? findTransactions(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: ({ id }) => id,
})

/** Returns the transaction with this ID, or `undefined` if the account has none. */
export async function findTransaction(
  context: SubgraphContext,
  id: string,
): Promise<Transaction | undefined> {
  const row = await transactionById(context, id)
  return row && presentTransaction(row)
}

const TransactionConnection = connection(Transaction)

@Resolver(() => Transaction)
export class TransactionResolver {
  @Query(() => TransactionConnection, {
    nullable: true,
    description: "Lists the account's transactions, newest first.",
  })
  async transactions(@Args(() => TransactionArgs) args: TransactionArgs, @Ctx() context: SubgraphContext) {
    const { accountId, quotaAccountId } = requireReader(context, args.accountId)
    const { queries, clock } = context
    const slice = sliceOf(args, transactionOrder)
    const filter = filterOf(args.filter)
    const { transactions, endedAt } = await queries.run(quotaAccountId, ({ sql }) =>
      listTransactions({ sql, clock }, { accountId, slice, filter }),
    )
    return toConnection(slice, {
      rows: transactions,
      endedAt,
      positionOf: ({ id }) => [id],
      present: presentTransaction,
      countAll: () =>
        queries.run(quotaAccountId, from => countTransactions(from, { accountId, filter, max: maxPaged })),
    })
  }

  @Query(() => Transaction, { nullable: true, description: 'Returns a transaction of the account.' })
  async transaction(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The transaction's ID." }) id: string,
  ): Promise<Transaction> {
    requireCaller(context)
    const found = await findTransaction(context, id)
    if (found) return found
    throw new Problem('not_found', { message: 'The account has no transaction of that id.' })
  }
}
