import type { Context } from '../context.ts'

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
