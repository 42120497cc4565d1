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
import { adjustAccount } from '../../domain/billing/adjust-account.ts'
import { findTransactions } from '../../domain/billing/list-transactions.ts'
import { readBalances } from '../../domain/billing/read-balances.ts'
import { type Difference, reconcileAccounts } from '../../domain/ledger/reconcile.ts'
import { isUuid } from '../../platform/checks.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { requireOperator } from '../runtime/call.ts'
import { Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Balance, presentBalance } from './balance.ts'
import { presentTransaction, Transaction } from './transaction.ts'

@InputType({ description: "A change of an account's credits by an operator." })
class AdjustmentInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => Money, { description: 'The amount in US dollars: more than 0, at most 1,000,000.' })
  amount!: bigint

  @Field(() => String, {
    description: 'The reason, 1 to 500 characters. The account can read it in the transaction.',
  })
  reason!: string

  @Field(() => String, {
    nullable: true,
    description:
      'An idempotency key: 1 to 100 visible ASCII characters. A repeat with the same key for the same account does not change the credits again.',
  })
  idempotencyKey?: string | null
}

@InputType({ description: 'The amount to add to an account.' })
export class CreditAccountInput extends AdjustmentInput {}

@InputType({ description: 'The amount to remove from an account.' })
export class DebitAccountInput extends AdjustmentInput {}

@ObjectType({ description: 'The result of a credit or debit.' })
class AdjustmentPayload {
  @Field(() => Transaction, { description: 'The transaction that records the change.' })
  transaction!: Transaction

  @Field(() => Balance, { description: "The account's balance after the change." })
  balance!: Balance
}

@ObjectType({ description: 'The result of crediting an account.' })
export class CreditAccountPayload extends AdjustmentPayload {}

@ObjectType({ description: 'The result of debiting an account.' })
export class DebitAccountPayload extends AdjustmentPayload {}

@ObjectType({ description: "A difference between two records of an account's money." })
class LedgerDifference {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: 'A description of the difference.' })
  fault!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The ID of the API key, hold, request or payment that differs. `null` if the balance itself differs.',
  })
  subject!: string | null

  @Field(() => Money, { description: 'The expected amount, in US dollars.' })
  expected!: bigint

  @Field(() => Money, { description: 'The stored amount, in US dollars.' })
  found!: bigint
}

@ObjectType({ description: 'The result of comparing the ledger records of several accounts.' })
class Reconciliation {
  @Field(() => Int, { description: 'The number of accounts that were compared.' })
  accounts!: number

  @Field(() => [LedgerDifference], { description: 'The differences. Empty if there are none.' })
  differences!: LedgerDifference[]

  @Field(() => ID, {
    nullable: true,
    description: 'The ID of the last account that was compared, for `after`. `null` if no accounts remain.',
  })
  endCursor!: string | null
}

@ArgsType()
class ReconciliationArgs {
  @Field(() => Int, {
    defaultValue: 100,
    description: 'The maximum number of accounts to compare, 1 to 1,000.',
  })
  first!: number

  @Field(() => ID, {
    nullable: true,
    description: 'The ID of the account after which to continue. Defaults to the first account.',
  })
  after?: string | null
}

/** Queries and mutations with which operators change credits and check the ledger (docs/behaviour.md, Operators). */
@Resolver()
export class OperatorResolver {
  @Mutation(() => CreditAccountPayload, {
    nullable: true,
    description: 'Adds credits to an account. Requires an operator key.',
  })
  creditAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreditAccountInput, { description: 'The account, the amount and the reason.' })
    input: CreditAccountInput,
  ): Promise<CreditAccountPayload> {
    return adjust(context, 'credit', input)
  }

  @Mutation(() => DebitAccountPayload, {
    nullable: true,
    description:
      'Removes credits from an account. Fails if the amount exceeds the available credits. Requires an operator key.',
  })
  debitAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DebitAccountInput, { description: 'The account, the amount and the reason.' })
    input: DebitAccountInput,
  ): Promise<DebitAccountPayload> {
    return adjust(context, 'debit', input)
  }

  @Query(() => Reconciliation, {
    nullable: true,
    description:
      "Compares each account's records in the ledger with one another, in the order of account IDs, as `npm run reconcile` does. Requires an operator key.",
  })
  async reconciliation(
    @Args(() => ReconciliationArgs) { first, after }: ReconciliationArgs,
    @Ctx() context: SubgraphContext,
  ): Promise<Reconciliation> {
    requireOperator(context)
    if (first < 1 || first > 1000) refuseParam('first', 'must be 1 to 1000')
    if (after && !isUuid(after)) refuseParam('after', 'must be the ID of an account')
    const part = await reconcileAccounts(context, { after: after ?? undefined, limit: first })
    return {
      accounts: part.accounts,
      differences: part.differences.map(presentDifference),
      endCursor: part.lastAccountId ?? null,
    }
  }
}

async function adjust(
  context: SubgraphContext,
  direction: 'credit' | 'debit',
  { accountId, amount: amountNanos, reason, idempotencyKey }: AdjustmentInput,
): Promise<AdjustmentPayload> {
  requireOperator(context)
  const { transactionId } = await adjustAccount(context, {
    accountId,
    direction,
    amountNanos,
    reason,
    idempotencyKey: idempotencyKey ?? undefined,
    action: context.action,
  })
  const [[transaction], [balance]] = await Promise.all([
    findTransactions(context, { accountId, ids: [transactionId] }),
    readBalances(context, { accountIds: [accountId] }),
  ])
  if (!transaction || !balance)
    throw new Error(`Transaction ${transactionId} or the balance of its account does not exist`)
  return { transaction: presentTransaction(transaction), balance: presentBalance(balance) }
}

function presentDifference({ expectedNanos, foundNanos, ...rest }: Difference): LedgerDifference {
  return { ...rest, expected: expectedNanos, found: foundNanos }
}
