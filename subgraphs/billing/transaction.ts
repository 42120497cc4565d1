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

/** What lives in other subgraphs. */
const ApiKey = entityReference('ApiKey')
const RequestLog = entityReference('RequestLog')
const Task = entityReference('Task')

@ObjectType({ description: 'What changed a balance: a completed charge, a top-up, money by hand.' })
@Directive('@key(fields: "id")')
export class Transaction {
  @Field(() => ID, { description: 'The id of the transaction; ids are in the order of time.' })
  id!: string

  @Field(() => Money, { description: 'What it changed the credits by: negative for usage.' })
  credits!: bigint

  @Field(() => Money, { description: 'The same without its sign.' })
  amount!: bigint

  @Field(() => PaymentMethod, { description: 'How it came about.' })
  paymentMethod!: AnyMethod

  @Field(() => TransactionStatus, { description: 'How it stands.' })
  status!: AnyStatus

  @Field(() => String, {
    nullable: true,
    description:
      'Why, where an operator changed the balance; of what was taken back, the id at the processor.',
  })
  reason!: string | null

  @Field(() => ApiKey, { nullable: true, description: 'The key that a charge was spent through.' })
  apiKey!: { id: string } | null

  @Field(() => RequestLog, {
    nullable: true,
    description: 'The request that was paid for; its `costTerms` explain the price. Kept for two months.',
  })
  request!: { id: string } | null

  @Field(() => Task, { nullable: true, description: 'The task that was paid for.' })
  task!: { id: string } | null

  @Field(() => DateTime, { description: 'When it changed the credits.' })
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

/** The transaction with that id, where the caller's account has it. */
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
    description: 'The transactions of the account, newest first.',
  })
  async transactions(@Args(() => TransactionArgs) args: TransactionArgs, @Ctx() context: SubgraphContext) {
    const { accountId, turnsOf } = requireReader(context, args.accountId)
    const { queries, clock } = context
    const slice = sliceOf(args, transactionOrder)
    const filter = filterOf(args.filter)
    const { transactions, endedAt } = await queries.run(turnsOf, ({ sql }) =>
      listTransactions({ sql, clock }, { accountId, slice, filter }),
    )
    return toConnection(slice, {
      rows: transactions,
      endedAt,
      positionOf: ({ id }) => [id],
      present: presentTransaction,
      countAll: () =>
        queries.run(turnsOf, from => countTransactions(from, { accountId, filter, most: maxPaged })),
    })
  }

  @Query(() => Transaction, { nullable: true, description: 'One transaction of the account.' })
  async transaction(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<Transaction> {
    requireCaller(context)
    const found = await findTransaction(context, id)
    if (found) return found
    throw new Problem('not_found', { message: 'The account has no transaction of that id.' })
  }
}
