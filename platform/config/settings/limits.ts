import { bool, integer, oneOf } from '../parsers.ts'
import type { Setting } from './setting.ts'

/** How much, how often and for how long. */
export const limits = {
  loginTries: {
    env: 'LOGIN_TRIES',
    doc: 'failed log-ins allowed to an e-mail from one address in fifteen minutes; ten times as many to an e-mail from everywhere, and from an address to all',
    default: '10',
    parse: integer(1, 10_000),
  },
  signUps: {
    env: 'SIGN_UPS',
    doc: 'sign-ups allowed from one address (an IPv6 network of /64) in fifteen minutes',
    default: '30',
    parse: integer(1, 1_000_000),
  },
  maxKeys: {
    env: 'MAX_KEYS',
    doc: 'API keys that an account may have; revoked ones do not count',
    default: '1000',
    parse: integer(1, 10_000),
  },
  statementTimeoutMs: {
    env: 'STATEMENT_TIMEOUT_MS',
    doc: 'how long PostgreSQL may work on a statement of the graph before it is given up with 503; jobs and money have rules of their own',
    default: '10000',
    parse: integer(10, 3_600_000),
  },
  rateRequests: {
    env: 'RATE_REQUESTS',
    doc: 'new requests per API key and window; an account may have its own',
    default: '20',
    parse: integer(1, 100_000_000),
  },
  rateWindowSeconds: {
    env: 'RATE_WINDOW_SECONDS',
    doc: 'length of that window, in seconds',
    default: '10',
    parse: integer(1, 3600),
  },
  maxInFlight: {
    env: 'MAX_IN_FLIGHT',
    doc: 'requests in flight per edge process; more are shed with 503',
    default: '2000',
    parse: integer(1, 1_000_000),
  },
  maxInFlightPerKey: {
    env: 'MAX_IN_FLIGHT_PER_KEY',
    doc: 'requests in flight per API key and edge process',
    default: '1000',
    parse: integer(1, 1_000_000),
  },
  bodyLimitBytes: {
    env: 'BODY_LIMIT_BYTES',
    doc: 'largest JSON body taken, in bytes',
    default: '33554432',
    parse: integer(1024, 1 << 30),
  },
  firstByteTimeoutMs: {
    env: 'FIRST_BYTE_TIMEOUT_MS',
    doc: 'how long a vendor may take to begin its answer',
    default: '120000',
    parse: integer(10, 3_600_000),
  },
  idleTimeoutMs: {
    env: 'IDLE_TIMEOUT_MS',
    doc: 'how long a vendor may pause within its answer',
    default: '60000',
    parse: integer(10, 3_600_000),
  },
  totalTimeoutMs: {
    env: 'TOTAL_TIMEOUT_MS',
    doc: 'how long a vendor may take in all',
    default: '900000',
    parse: integer(10, 86_400_000),
  },
  keepAliveMs: {
    env: 'KEEP_ALIVE_MS',
    doc: 'a stream that is silent for so long is kept open with a comment, in milliseconds',
    default: '15000',
    parse: integer(10, 3_600_000),
  },
  stalledReaderMs: {
    env: 'STALLED_READER_MS',
    doc: 'how long a client may leave a stream unread before it is cut',
    default: '30000',
    parse: integer(100, 3_600_000),
  },
  shutdownGraceMs: {
    env: 'SHUTDOWN_GRACE_MS',
    doc: 'how long requests in flight may take to end after SIGTERM',
    default: '30000',
    parse: integer(0, 3_600_000),
  },
  allowLoopback: {
    env: 'ALLOW_LOOPBACK',
    doc: 'vendors and callbacks may be on loopback (simulators); refused in production',
    default: 'false',
    parse: bool,
  },
  graphMaxDepth: {
    env: 'GRAPH_MAX_DEPTH',
    doc: 'deepest GraphQL document taken',
    default: '12',
    parse: integer(1, 100),
  },
  graphMaxAliases: {
    env: 'GRAPH_MAX_ALIASES',
    doc: 'aliases taken in one GraphQL document',
    default: '15',
    parse: integer(0, 1000),
  },
  graphMaxTokens: {
    env: 'GRAPH_MAX_TOKENS',
    doc: 'lexical tokens taken in one GraphQL document',
    default: '2000',
    parse: integer(10, 100_000),
  },
  graphMaxComplexity: {
    env: 'GRAPH_MAX_COMPLEXITY',
    doc: 'cost taken in one GraphQL document: fields, times the items that lists may hold',
    default: '20000',
    parse: integer(10, 10_000_000),
  },
  graphIntrospection: {
    env: 'GRAPH_INTROSPECTION',
    doc: 'the schema may be asked for',
    default: 'true',
    parse: bool,
  },
  logLevel: {
    env: 'LOG_LEVEL',
    doc: '`debug`, `info`, `warn`, `error` or `silent`',
    default: 'info',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
} satisfies Record<string, Setting<unknown>>
