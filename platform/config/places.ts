import { address, bool, integer, noneOr, oneOf, pairs, type Setting, text, url } from './parsers.ts'

/** Where the parts of the system are, and where they find each other. */
export const places = {
  environment: {
    env: 'NODE_ENV',
    doc: '`production` refuses simulators, missing secrets and default secrets',
    default: 'development',
    parse: oneOf('development', 'test', 'production'),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    doc: 'PostgreSQL 16 or newer with the extension pg_trgm, which is part of PostgreSQL; `npm run migrate` creates it',
    default: 'postgres://postgres@127.0.0.1:5432/rubicon',
    parse: url('postgres:', 'postgresql:'),
  },
  redisUrl: {
    env: 'REDIS_URL',
    doc: 'Redis or Valkey 7 or newer; `none` does without, outside production: each process counts limits for itself',
    default: 'redis://127.0.0.1:6379',
    parse: noneOr(url('redis:', 'rediss:')),
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
  healthPort: {
    env: 'HEALTH_PORT',
    doc: 'port on which an edge answers `/healthz` and `/readyz` from a thread of its own, at once however busy it is; 0 is none: the base address answers them in any case',
    default: '0',
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
} satisfies Record<string, Setting<unknown>>
