/** How Citus places the tables (docs/scaling.md). Each table is in exactly one of these lists. */

/**
 * Tables with a row per request or transaction. `npm run distribute` distributes them by `account_id`, so that the rows of an
 * account are on one node. The first one is distributed first, and the others are placed beside it.
 */
export const distributedTables = ['transactions', 'request_logs'] as const

/** The table of the coordinator that Citus manages, so that statements on it commit in two phases. */
export const managedTable = 'two_phase_commits'

/**
 * Tables of accounts that grow with traffic and are not distributed yet, each with the reason. Their keys begin with
 * `account_id`.
 */
export const undistributedTables: Readonly<Record<string, string>> = {
  balances: 'one statement settles several accounts, and triggers raise alerts',
  key_budgets: 'one statement settles several accounts, and triggers raise alerts',
  budgets: 'one statement settles several accounts, and triggers raise alerts',
  holds: 'one statement settles several accounts',
  usage_counters: 'partitioned on two levels',
  usage_labels: 'joined with usage_counters',
  usage_latencies: 'counted with usage_counters',
  usage_values: 'joined with usage_counters',
  idempotency_keys: 'compared with processes, which are on the coordinator',
  tasks: 'a chore locks due tasks of all accounts, and compares them with jobs',
  media_files: 'a chore locks expired files of all accounts',
  deliveries: 'a chore locks old deliveries of all accounts',
  delivery_tries: 'placed with deliveries',
  audit_log:
    'the statement that begins an action reads its user, and every action would commit in two phases',
}

/** Tables that grow with people, accounts and models, or are not of one account. They are on the coordinator. */
export const coordinatorTables = [
  'accounts',
  'alert_notices',
  'alert_webhooks',
  'api_keys',
  'automatic_top_ups',
  'balance_alerts',
  'callback_secrets',
  'catalogue_state',
  'changed_requests',
  'chores',
  'identities',
  'identity_joins',
  'identity_sessions',
  'invitations',
  'issuer_logouts',
  'known_networks',
  'log_database',
  'mailed_links',
  'memberships',
  'migrations',
  'model_revisions',
  'models',
  'payment_events',
  'payment_reversals',
  'payments',
  'pepper',
  'processes',
  'provider_credentials',
  'receivers',
  'recovery_codes',
  'refresh_tokens',
  'saved_cards',
  'second_factors',
  'sign_in_challenges',
  'sign_ins',
  'signing_keys',
  'statement_history',
  'statements',
  'stripe_customers',
  'trial_grants',
  managedTable,
  'users',
  'vendors',
  'workers',
] as const
