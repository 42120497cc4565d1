import { usageTables } from '../usage/forget-usage.ts'

/**
 * Tables whose rows of an account are deleted with its data, in this order: rows before the rows that they refer to.
 * The column with the account's ID is `account_id`. A table that contains an account's data and is missing here or in
 * `keptTables` fails a test.
 */
export const erasedTables: readonly string[] = [
  'idempotency_keys',
  'deliveries', // and their tries, which refer to them
  'callback_secrets',
  'tasks',
  ...usageTables,
  'provider_credentials',
  'budgets',
  'balance_alerts',
  'alert_webhooks',
  'alert_notices',
  'automatic_top_ups',
  'saved_cards',
  'stripe_customers',
  'key_budgets',
  'api_keys',
  'refresh_tokens',
  'invitations',
  'mailed_links', // the links that reopen the account
]

/** Tables whose rows of an account are not deleted by `erasedTables`, with what happens to them instead. */
export const keptTables: Readonly<Record<string, string>> = {
  balances: 'belongs to the books',
  transactions:
    'belongs to the books: amounts, times, the IDs of what was paid for, and reasons of operators',
  payments: 'belongs to the books, without URLs of Stripe and the key of the client',
  payment_events: 'has only IDs, and is deleted after PAYMENT_EVENT_DAYS',
  audit_log: 'is deleted after AUDIT_LOG_DAYS; client addresses and e-mail addresses are removed at once',
  media_files: 'expires at once, and is deleted with its file by the chore remove-media',
  request_logs: 'is deleted in order of time',
  identity_joins: 'is deleted with the users',
  memberships: 'is deleted with the users who have no other account',
  holds: 'an account with holds is not erased before they end',
}
