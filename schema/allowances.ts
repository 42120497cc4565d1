/** The limits on an account's use of one resource. */
export interface Allowance {
  /** The limit of an account that never paid. */
  readonly neverPaid: number
  /** The limit of a paying account. */
  readonly paying: number
  /** The unit of both limits, as a plural. */
  readonly unit: string
  /**
   * The scope of the limit: use in one process at the same time, existence at the same time, or use within a window of
   * this many seconds.
   */
  readonly per: 'process' | 'account' | number
  /** The counted items, as a noun phrase. */
  readonly doc: string
}

const mega = 1_000_000

/**
 * Every resource that an account can consume, with its limit for each tier. An operator overrides a limit for all
 * accounts (`ALLOWANCES`) or for one (`npm run account:limit`). The page docs/allowances.md is generated from this table.
 */
export const allowanceTable = {
  key_requests: allow(
    20,
    20,
    'requests',
    10,
    'new requests of one API key; `RATE_REQUESTS` sets both limits',
  ),
  requests: allow(60, 5_000, 'requests', 10, 'new requests of all API keys of the account together'),
  polls: allow(
    200,
    5_000,
    'requests',
    10,
    'reads of tasks, `/v1/key`, `/v1/credits` and `/v1/generation` with all API keys of the account together',
  ),
  requests_in_flight: allow(64, 1_000, 'requests', 'process', 'requests that an edge process is serving'),
  memory_bytes: allow(
    8 * mega,
    128 * mega,
    'bytes',
    'process',
    'bodies of requests in flight, their unread answers, and streams that are kept for an `Idempotency-Key`; an account that uses none can send a body of up to `BODY_LIMIT_BYTES`',
  ),
  callbacks: allow(8, 32, 'calls', 'process', 'callbacks and webhooks that a worker is sending'),
  body_bytes: allow(
    8 * mega,
    64 * mega,
    'bytes',
    1,
    'bodies of requests that an edge process reads; faster bodies are slowed down, not refused',
  ),
  worker_steps: allow(
    8,
    100,
    'steps',
    'process',
    'steps of tasks (calls to vendors, downloads of results) that a worker is running',
  ),
  running_tasks: allow(100, 1_000, 'tasks', 'account', 'tasks that have not ended'),
  confirmation_mails: allow(
    5,
    20,
    'e-mails',
    86_400,
    'e-mails to confirm or change an address, besides the one after sign-up',
  ),
  invitations: allow(20, 500, 'invitations', 'account', 'invitations that were not accepted or revoked'),
  invitation_mails: allow(20, 500, 'e-mails', 86_400, 'e-mails with invitations'),
  alert_notices: allow(20, 200, 'alerts', 86_400, 'alerts that are sent, counted per day (UTC)'),
  credentials_per_vendor: allow(
    20,
    20,
    'credentials',
    'account',
    "the account's own credentials (BYOK) for one vendor",
  ),
  credential_tests: allow(
    60,
    300,
    'tests',
    900,
    "tests of the account's own credentials (`testByokCredential`); each calls an address that the account chose",
  ),
  webhook_tests: allow(
    20,
    100,
    'tests',
    900,
    'tests of the webhook for alerts (`testAlertWebhook`); each is sent, and retried, to an address that the account chose',
  ),
  own_calls: allow(
    20,
    300,
    'calls',
    1,
    "calls with the account's own credentials that an edge process makes for chat and image requests",
  ),
  refused_rows: allow(
    60,
    3_000,
    'rows',
    60,
    'refused requests that an edge process writes to the request log',
  ),
  input_files: allow(
    500,
    5_000,
    'files',
    86_400,
    'uploads, and images and videos within requests; deleted files count',
  ),
  input_bytes: allow(
    250 * mega,
    20_000 * mega,
    'bytes',
    86_400,
    'total size of the files that `input_files` counts',
  ),
  own_result_bytes: allow(
    2_000 * mega,
    21_500 * mega,
    'bytes',
    86_400,
    "stored files that vendors made with the account's own credentials (BYOK)",
  ),
  kept_answer_bytes: allow(
    4 * mega,
    1_000 * mega,
    'bytes',
    86_400,
    'answers that are kept under an `Idempotency-Key`; an answer beyond the limit is delivered but not kept',
  ),
  queries: allow(
    1,
    2,
    'queries',
    'process',
    'running lists, searches, counts and pages of exports; further ones wait for at most 10 s',
  ),
  management_calls: allow(
    1_000,
    5_000,
    'calls',
    10,
    'requests to `/graphql` and `/api/v1`, and operations over WebSocket, with all keys and sessions of the account together',
  ),
  subscriptions: allow(
    200,
    2_000,
    'subscriptions',
    'process',
    'subscriptions that are open in a control plane process',
  ),
  exports: allow(2, 4, 'exports', 'process', 'exports that a control plane is sending'),
  keys: allow(100, 1_000, 'API keys', 'account', 'API keys that are not revoked'),
  budgets: allow(20, 500, 'budgets', 'account', 'budgets of tags and end users'),
} as const satisfies Record<string, Allowance>

export type Resource = keyof typeof allowanceTable

/** Returns whether a name is a resource of the table. */
export function isResource(name: string): name is Resource {
  return Object.hasOwn(allowanceTable, name)
}

function allow(
  neverPaid: number,
  paying: number,
  unit: string,
  per: Allowance['per'],
  doc: string,
): Allowance {
  return { neverPaid, paying, unit, per, doc }
}
