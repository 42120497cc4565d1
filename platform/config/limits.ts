import { bool, integer, oneOf, type Setting, text, tiers } from './parsers.ts'

/** Limits of amounts, rates and times. */
export const limits = {
  allowances: {
    env: 'ALLOWANCES',
    doc: 'limits of resources per account, as `name=N/M` separated by commas: N for accounts that never paid, M for paying accounts. docs/allowances.md lists names and defaults',
    default: '',
    parse: tiers,
  },
  loginTries: {
    env: 'LOGIN_TRIES',
    doc: 'maximum number of failed log-ins with one e-mail address from one client address in fifteen minutes. Ten times this number applies to one e-mail address from all clients, and to one client address with all e-mail addresses',
    default: '10',
    parse: integer(1, 10_000),
  },
  signUps: {
    env: 'SIGN_UPS',
    doc: 'maximum number of sign-ups from one client address (IPv6: a /48 network) in fifteen minutes',
    default: '30',
    parse: integer(1, 1_000_000),
  },
  callsPerAddress: {
    env: 'CALLS_PER_ADDRESS',
    doc: 'maximum number of management requests (/graphql, /api/v1, WebSocket operations) from one client address (IPv6: a /64 network; four times as many from a /48) in ten seconds. The allowance `management_calls` limits requests per account',
    default: '300',
    parse: integer(1, 100_000_000),
  },
  rateRequests: {
    env: 'RATE_REQUESTS',
    doc: 'maximum number of new requests per API key and window. An operator can set another number for an account with the allowance `key_requests`',
    default: '20',
    parse: integer(1, 100_000_000),
  },
  rateWindowSeconds: {
    env: 'RATE_WINDOW_SECONDS',
    doc: 'length of the window of RATE_REQUESTS, in seconds',
    default: '10',
    parse: integer(1, 3600),
  },
  maxInFlight: {
    env: 'MAX_IN_FLIGHT',
    doc: 'maximum number of requests in flight per edge process; further requests fail with 503',
    default: '2000',
    parse: integer(1, 1_000_000),
  },
  bodyMemoryBytes: {
    env: 'BODY_MEMORY_BYTES',
    doc: "memory for request bodies, vendors' whole answers, unread responses and streams that are kept for an `Idempotency-Key`, in bytes per edge process. The allowance `memory_bytes` limits each account",
    default: '536870912',
    parse: integer(1024, 2 ** 40),
  },
  bodyLimitBytes: {
    env: 'BODY_LIMIT_BYTES',
    doc: 'maximum size of a JSON body, in bytes',
    default: '33554432',
    parse: integer(1024, 1 << 30),
  },
  firstByteTimeoutMs: {
    env: 'FIRST_BYTE_TIMEOUT_MS',
    doc: "maximum time until the first byte of a vendor's answer, in milliseconds",
    default: '120000',
    parse: integer(10, 3_600_000),
  },
  idleTimeoutMs: {
    env: 'IDLE_TIMEOUT_MS',
    doc: "maximum time between two parts of a vendor's answer, in milliseconds",
    default: '60000',
    parse: integer(10, 3_600_000),
  },
  totalTimeoutMs: {
    env: 'TOTAL_TIMEOUT_MS',
    doc: "maximum time until a vendor's answer is complete, in milliseconds",
    default: '900000',
    parse: integer(10, 86_400_000),
  },
  workerJobs: {
    env: 'WORKER_JOBS',
    doc: 'maximum number of jobs that one worker runs at the same time. Steps of tasks and callbacks do not count',
    default: '200',
    parse: integer(1, 1000),
  },
  drainDelayMs: {
    env: 'DRAIN_DELAY_MS',
    doc: 'time after SIGTERM in which an edge still accepts requests while `/readyz` returns 503, in milliseconds, so that a load balancer stops sending requests before the port closes',
    default: '2000',
    parse: integer(0, 3_600_000),
  },
  shutdownGraceMs: {
    env: 'SHUTDOWN_GRACE_MS',
    doc: 'maximum time that requests in flight have to end after SIGTERM, in milliseconds',
    default: '30000',
    parse: integer(0, 3_600_000),
  },
  allowLoopback: {
    env: 'ALLOW_LOOPBACK',
    doc: 'whether vendors and callbacks may have loopback addresses, for simulators. Refused in production',
    default: 'false',
    parse: bool,
  },
  graphMaxComplexity: {
    env: 'GRAPH_MAX_COMPLEXITY',
    doc: 'maximum cost of a GraphQL document: its fields, multiplied by the page sizes of the lists around them',
    default: '20000',
    parse: integer(10, 10_000_000),
  },
  graphIntrospection: {
    env: 'GRAPH_INTROSPECTION',
    doc: 'whether introspection is allowed and browsers receive the explorer at /graphql',
    default: 'true',
    parse: bool,
  },
  graphTrustedFile: {
    env: 'GRAPH_TRUSTED_FILE',
    doc: 'file of trusted GraphQL documents, a JSON object with a document for each ID. Clients send `documentId` instead of `query`',
    default: '',
    parse: text,
  },
  graphTrustedOnly: {
    env: 'GRAPH_TRUSTED_ONLY',
    doc: 'whether documents that are not trusted are refused',
    default: 'false',
    parse: bool,
  },
  logLevel: {
    env: 'LOG_LEVEL',
    doc: '`debug`, `info`, `warn`, `error` or `silent`',
    default: 'info',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
} satisfies Record<string, Setting<unknown>>
