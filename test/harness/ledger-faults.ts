import type { Sql } from '../../platform/postgres/open-postgres.ts'

export interface LedgerFault {
  fault: string
  account_id: string
}

/** Where the ledger breaks one of its invariants, over every account; empty at every moment of a right ledger. */
export async function findLedgerFaults(sql: Sql): Promise<LedgerFault[]> {
  const faults = await sql<LedgerFault[]>`
    select 'credits differ from transactions' as fault, b.account_id from balances b
    where credits_nanos <> (select coalesce(sum(credits_nanos), 0) from transactions t where t.account_id = b.account_id)
    union all
    select 'held differs from holds', b.account_id from balances b
    where held_nanos <> (select coalesce(sum(amount_nanos), 0) from holds h where h.account_id = b.account_id)
    union all
    select 'held of key differs from its holds', k.account_id from key_budgets k
    where held_nanos <> (select coalesce(sum(amount_nanos), 0) from holds h
      where h.account_id = k.account_id and h.key_id = k.key_id)
    union all
    select 'key spend differs from transactions', k.account_id from key_budgets k
    where total_spent_nanos <> (select coalesce(-sum(credits_nanos), 0) from transactions t
      where t.account_id = k.account_id and t.api_key_id = k.key_id)
    union all
    select 'available below zero', account_id from balances where credits_nanos < held_nanos
    union all
    select 'charged log without its transaction', l.account_id from request_logs l
    where cost_nanos > 0 and 1 <> (select count(*) from transactions t
      where t.account_id = l.account_id and t.source = l.id and t.credits_nanos = -l.cost_nanos)
    union all
    select 'usage transaction without its log', t.account_id from transactions t
    where request_id is not null and not exists (select 1 from request_logs l
      where l.account_id = t.account_id and l.id = t.request_id)`
  return [...faults]
}
