import {
  address,
  bool,
  cidrList,
  integer,
  keys,
  oneOf,
  optional,
  pairs,
  secret,
  text,
  url,
} from './parsers.ts'

/**
 * Every setting: environment variable, doc, default, parser. `.env.example` and the README's table are
 * generated from this list, and `readConfig` reads it at start: nothing else looks at the environment.
 */
export const settings = {
  environment: {
    env: 'NODE_ENV',
    doc: '`production` refuses simulators, missing secrets and default secrets',
    default: 'development',
    parse: oneOf('development', 'test', 'production'),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    doc: 'PostgreSQL 16 or newer',
    default: 'postgres://postgres@127.0.0.1:5432/rubicon',
    parse: url('postgres:', 'postgresql:'),
  },
  redisUrl: {
    env: 'REDIS_URL',
    doc: 'Redis or Valkey 7 or newer',
    default: 'redis://127.0.0.1:6379',
    parse: url('redis:', 'rediss:'),
  },
  redisCluster: {
    env: 'REDIS_CLUSTER',
    doc: 'the Redis address is a cluster',
    default: 'false',
    parse: bool,
  },
  redisPrefix: {
    env: 'REDIS_PREFIX',
    doc: 'what every Redis key begins with',
    default: 'rubicon:',
    parse: text,
  },
  host: { env: 'HOST', doc: 'the address that servers listen on', default: '127.0.0.1', parse: address },
  edgePort: {
    env: 'EDGE_PORT',
    doc: 'port of the edge, the one base address',
    default: '8080',
    parse: integer(0, 65535),
  },
  controlPort: {
    env: 'CONTROL_PORT',
    doc: 'port of the control plane',
    default: '8081',
    parse: integer(0, 65535),
  },
  workerPort: {
    env: 'WORKER_PORT',
    doc: "port of the worker's health page",
    default: '8082',
    parse: integer(0, 65535),
  },
  subgraphPort: {
    env: 'SUBGRAPH_PORT',
    doc: 'port of a subgraph that runs by itself',
    default: '8090',
    parse: integer(0, 65535),
  },
  baseUrl: {
    env: 'BASE_URL',
    doc: 'the address that clients use',
    default: 'http://127.0.0.1:8080',
    parse: url('http:', 'https:'),
  },
  mediaUrl: {
    env: 'MEDIA_URL',
    doc: 'the address under which generated media is served',
    default: 'http://127.0.0.1:8080/media',
    parse: url('http:', 'https:'),
  },
  controlUrl: {
    env: 'CONTROL_URL',
    doc: 'where the edge passes /api/v1, /graphql and /.well-known on to',
    default: 'http://127.0.0.1:8081',
    parse: url('http:', 'https:'),
  },
  edgeProcesses: {
    env: 'EDGE_PROCESSES',
    doc: 'edge processes on this machine; 0 is one a core',
    default: '1',
    parse: integer(0, 256),
  },
  subgraphUrls: {
    env: 'SUBGRAPH_URLS',
    doc: 'subgraphs served elsewhere, `name=url` separated by commas; the others run in-process',
    default: '',
    parse: pairs,
  },
  subgraphSecret: {
    env: 'SUBGRAPH_SECRET',
    doc: 'signs what the gateway sends to subgraphs served over HTTP',
    default: 'development-subgraph-secret-0000',
    parse: secret(24),
    secret: true,
  },
  masterKeys: {
    env: 'MASTER_KEYS',
    doc: 'keys that wrap secrets at rest, `id=base64 of 32 bytes` separated by commas; the first one writes',
    default: 'dev=ZGV2ZWxvcG1lbnQtbWFzdGVyLWtleS0wMDAwMDAwMDA=',
    parse: keys(32),
    secret: true,
  },
  keyPepper: {
    env: 'KEY_PEPPER',
    doc: 'HMAC key of API keys and refresh tokens at rest',
    default: 'development-key-pepper-000000000',
    parse: secret(24),
    secret: true,
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    doc: 'CIDR ranges of proxies whose X-Forwarded-For is believed, separated by commas',
    default: '',
    parse: cidrList,
  },
  accessTokenSeconds: {
    env: 'ACCESS_TOKEN_SECONDS',
    doc: 'life of a session token, in seconds',
    default: '900',
    parse: integer(5, 86_400),
  },
  refreshTokenDays: {
    env: 'REFRESH_TOKEN_DAYS',
    doc: 'life of a refresh token, in days',
    default: '30',
    parse: integer(1, 365),
  },
  foreignJwksUrl: {
    env: 'FOREIGN_JWKS_URL',
    doc: 'JWKS address of a foreign issuer to trust instead of our own log-in; empty is our own',
    default: '',
    parse: optional(url('http:', 'https:')),
  },
  foreignIssuer: {
    env: 'FOREIGN_ISSUER',
    doc: 'the `iss` that the foreign issuer writes',
    default: '',
    parse: text,
  },
  foreignAudience: {
    env: 'FOREIGN_AUDIENCE',
    doc: 'the `aud` that its tokens must carry; empty takes any token of that issuer',
    default: '',
    parse: text,
  },
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

export interface Setting<Value> {
  env: string
  doc: string
  default: string
  /** Throws an Error whose message completes "NAME must be …". */
  parse(raw: string): Value
  /** The default is public, so production refuses it. */
  secret?: boolean
}
