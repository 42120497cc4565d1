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
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Balance, presentBalance } from './balance.ts'
import { presentTransaction, Transaction } from './transaction.ts'

@InputType({ description: 'Money that an operator adds or takes away.' })
class AdjustmentInput {
  @Field(() => ID, { description: 'Whose credits change.' })
  accountId!: string

  @Field(() => Money, { description: 'How much; more than 0 either way, at most 1,000,000 dollars.' })
  amount!: bigint

  @Field(() => String, { description: 'Why: kept with the transaction, and shown to the account.' })
  reason!: string

  @Field(() => String, {
    nullable: true,
    description: 'A name of your own: under one that the account knows nothing changes.',
  })
  idempotencyKey?: string | null
}

@InputType({ description: 'Money that an operator adds.' })
export class CreditAccountInput extends AdjustmentInput {}

@InputType({ description: 'Money that an operator takes away.' })
export class DebitAccountInput extends AdjustmentInput {}

@ObjectType({ description: 'What came of it.' })
class AdjustmentPayload {
  @Field(() => Transaction, { description: 'The transaction that says why.' })
  transaction!: Transaction

  @Field(() => Balance, { description: 'The balance of the account afterwards.' })
  balance!: Balance
}

@ObjectType({ description: 'Money that was added.' })
export class CreditAccountPayload extends AdjustmentPayload {}

@ObjectType({ description: 'Money that was taken away.' })
export class DebitAccountPayload extends AdjustmentPayload {}

@ObjectType({ description: 'Where the books of an account break a rule.' })
class LedgerDifference {
  @Field(() => ID, { description: 'Whose books they are.' })
  accountId!: string

  @Field(() => String, { description: 'What is wrong, in words.' })
  fault!: string

  @Field(() => String, {
    nullable: true,
    description: 'The key, hold, request or payment that differs; null where it is the balance itself.',
  })
  subject!: string | null

  @Field(() => Money, { description: 'What should be there.' })
  expected!: bigint

  @Field(() => Money, { description: 'What is there.' })
  found!: bigint
}

@ObjectType({ description: 'A part of all books, compared.' })
class Reconciliation {
  @Field(() => Int, { description: 'How many accounts were compared.' })
  accounts!: number

  @Field(() => [LedgerDifference], { description: 'What differs; empty where all is right.' })
  differences!: LedgerDifference[]

  @Field(() => ID, {
    nullable: true,
    description: 'The last account that was compared, for `after`; null where no account was left.',
  })
  endCursor!: string | null
}

@ArgsType()
class ReconciliationArgs {
  @Field(() => Int, { defaultValue: 100, description: 'How many accounts to compare: 1 to 1000.' })
  first!: number

  @Field(() => ID, {
    nullable: true,
    description: 'The account behind which to go on; from the first unless given.',
  })
  after?: string | null
}

/** What operators do (docs/behaviour.md, Operators). */
@Resolver()
export class OperatorResolver {
  @Mutation(() => CreditAccountPayload, { nullable: true, description: 'Adds money to an account by hand.' })
  creditAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreditAccountInput, { description: 'To whom, how much and why.' })
    input: CreditAccountInput,
  ): Promise<CreditAccountPayload> {
    return adjust(context, 'credit', input)
  }

  @Mutation(() => DebitAccountPayload, {
    nullable: true,
    description: 'Takes money from an account by hand; never what is held.',
  })
  debitAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DebitAccountInput, { description: 'From whom, how much and why.' })
    input: DebitAccountInput,
  ): Promise<DebitAccountPayload> {
    return adjust(context, 'debit', input)
  }

  @Query(() => Reconciliation, {
    nullable: true,
    description: 'Compares the books of accounts, in the order of their ids, as `npm run reconcile` does.',
  })
  async reconciliation(
    @Args(() => ReconciliationArgs) { first, after }: ReconciliationArgs,
    @Ctx() context: SubgraphContext,
  ): Promise<Reconciliation> {
    requireOperator(context)
    if (first < 1 || first > 1000) refuse('first', 'first must be 1 to 1000.')
    if (after && !isUuid(after)) refuse('after', 'after must be the id of an account.')
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
  if (!transaction || !balance) throw new Error(`${transactionId} is not there`)
  return { transaction: presentTransaction(transaction), balance: presentBalance(balance) }
}

function presentDifference({ expectedNanos, foundNanos, ...rest }: Difference): LedgerDifference {
  return { ...rest, expected: expectedNanos, found: foundNanos }
}

function refuse(param: string, message: string): never {
  throw new Problem('validation_failed', { param, message })
}
