import { dollars } from '../../platform/money.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/** A change of a balance that an operator makes by hand. */
export interface Adjustment {
  accountId: string
  /** Added when positive, taken away when negative. */
  amountNanos: bigint
  /** What it stands for, unique within the account: making it again changes nothing. */
  source: string
  /** Kept with the transaction. */
  reason: string
}

/** What became of it. */
export interface Adjusted {
  transactionId: string
  /** False where an adjustment with this source had been made before. */
  isNew: boolean
  creditsNanos: bigint
  heldNanos: bigint
}

/**
 * Changes a balance by hand, once per source, with a transaction that says why. Never takes what is held.
 * Throws `insufficient_credits` where it would, and `conflict` where the source stands for another amount.
 */
export async function adjustCredits(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  adjustment: Adjustment,
): Promise<Adjusted> {
  const { accountId, amountNanos, source, reason } = adjustment
  return sql.begin(async transaction => {
    const balance = await lockBalance(transaction, accountId)
    const known = await findAdjustment(transaction, adjustment)
    if (known) return { ...balance, transactionId: known, isNew: false }

    const availableNanos = balance.creditsNanos - balance.heldNanos
    if (amountNanos < 0n && availableNanos + amountNanos < 0n) throw tooMuch(balance)
    const transactionId = ids.tagged('txn_')
    const paymentMethod = amountNanos < 0n ? 'adjustment' : 'grant'
    await transaction`
      insert into transactions (account_id, id, source, credits_nanos, payment_method, status, reason)
      values (${accountId}, ${transactionId}, ${source}, ${amountNanos}, ${paymentMethod}, 'completed', ${reason})`
    await transaction`
      update balances set credits_nanos = credits_nanos + ${amountNanos} where account_id = ${accountId}`
    return { ...balance, transactionId, isNew: true, creditsNanos: balance.creditsNanos + amountNanos }
  })
}

type Balance = Pick<Adjusted, 'creditsNanos' | 'heldNanos'>

async function lockBalance(sql: SqlTransaction, accountId: string): Promise<Balance> {
  await sql`insert into balances (account_id) values (${accountId}) on conflict do nothing`
  const [balance] = await sql<Balance[]>`
    select credits_nanos as "creditsNanos", held_nanos as "heldNanos"
    from balances where account_id = ${accountId} for update`
  return balance ?? { creditsNanos: 0n, heldNanos: 0n }
}

/** The id of the transaction that was made for this source. */
async function findAdjustment(sql: SqlTransaction, adjustment: Adjustment): Promise<string | undefined> {
  const { accountId, source, amountNanos } = adjustment
  const [known] = await sql<{ id: string; creditsNanos: bigint }[]>`
    select id, credits_nanos as "creditsNanos" from transactions
    where account_id = ${accountId} and source = ${source} and payment_method <> 'usage'`
  if (known && known.creditsNanos !== amountNanos) {
    const before = dollars(known.creditsNanos)
    throw new Problem('conflict', { message: `This id stands for another amount already: $${before}.` })
  }
  return known?.id
}

function tooMuch({ creditsNanos, heldNanos }: Balance): Problem {
  const most = dollars(creditsNanos - heldNanos)
  const held = `of $${dollars(creditsNanos)} $${dollars(heldNanos)} are held for requests`
  return new Problem('insufficient_credits', { message: `At most $${most} can be taken: ${held}.` })
}

export interface Credit {
  accountId: string
  amountNanos: bigint
  /** What it stands for, unique within the account: a payment, a grant. Crediting it again does nothing. */
  source: string
  /** `stripe`, `grant`, … (docs/behaviour.md, Management API). */
  paymentMethod: string
}

/** Adds money to an account, once per source. Resolves to whether it was added now. */
export async function creditAccount(context: Pick<Context, 'sql' | 'ids'>, credit: Credit): Promise<boolean> {
  const [row] = await context.sql<{ added: boolean }[]>`
    with entered as (
      insert into transactions (account_id, id, source, credits_nanos, payment_method, status)
      values (${credit.accountId}, ${context.ids.tagged('txn_')}, ${credit.source}, ${credit.amountNanos},
        ${credit.paymentMethod}, 'completed')
      on conflict (account_id, source) where payment_method <> 'usage' do nothing returning credits_nanos
    ), credited as (
      insert into balances (account_id, credits_nanos)
      select ${credit.accountId}, credits_nanos from entered
      on conflict (account_id) do update set credits_nanos = balances.credits_nanos + excluded.credits_nanos
      returning 1
    )
    select exists (select 1 from credited) as added`
  return row?.added ?? false
}
