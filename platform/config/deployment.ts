import { address, bool, integer, noneOr, oneOf, pairs, type Setting, text, url } from './parsers.ts'

/** The addresses of the processes and of the services that they use. */
export const deployment = {
  environment: {
    env: 'NODE_ENV',
    doc: '`production` refuses simulators, missing secrets and default secrets',
    default: 'development',
    parse: oneOf('development', 'test', 'production'),
  },
  catalogue: {
    env: 'CATALOG',
    doc: 'the catalogue that `npm run catalog:apply` and `npm start` apply: `demo`, `real`, or a folder. If empty, `real` in production, and `demo` otherwise; `npm start` then replaces the models of each vendor whose key is set by its real models (docs/models.md)',
    default: '',
    parse: text,
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    doc: 'PostgreSQL 16 or newer with the extension pg_trgm, which is part of PostgreSQL; `npm run migrate` creates it',
    default: 'postgres://postgres@127.0.0.1:5432/rubicon',
    parse: url('postgres:', 'postgresql:'),
  },
  redisUrl: {
    env: 'REDIS_URL',
    doc: 'Redis or Valkey 7 or newer. Outside production, `none` starts Rubicon without Redis: each process counts limits by itself',
    default: 'redis://127.0.0.1:6379',
    parse: noneOr(url('redis:', 'rediss:')),
  },
  redisCluster: {
    env: 'REDIS_CLUSTER',
    doc: 'whether REDIS_URL is the address of a Redis Cluster',
    default: 'false',
    parse: bool,
  },
  redisPrefix: {
    env: 'REDIS_PREFIX',
    doc: 'prefix of every Redis key',
    default: 'rubicon:',
    parse: text,
  },
  host: { env: 'HOST', doc: 'the address that servers listen on', default: '127.0.0.1', parse: address },
  edgePort: {
    env: 'EDGE_PORT',
    doc: 'port of the edge, to which BASE_URL leads',
    default: '8080',
    parse: integer(0, 65535),
  },
  healthPort: {
    env: 'HEALTH_PORT',
    doc: 'port of `/healthz` and `/readyz` on a separate thread, which responds at once even if the edge is busy. 0 disables it; EDGE_PORT serves both in any case',
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
    doc: 'port of the worker, which serves only `/healthz` and `/readyz`',
    default: '8082',
    parse: integer(0, 65535),
  },
  subgraphPort: {
    env: 'SUBGRAPH_PORT',
    doc: 'port of a subgraph that runs as a separate process',
    default: '8090',
    parse: integer(0, 65535),
  },
  baseUrl: {
    env: 'BASE_URL',
    doc: 'the URL under which clients reach the edge',
    default: 'http://127.0.0.1:8080',
    parse: url('http:', 'https:'),
  },
  mediaUrl: {
    env: 'MEDIA_URL',
    doc: 'the URL under which generated media is served',
    default: 'http://127.0.0.1:8080/media',
    parse: url('http:', 'https:'),
  },
  controlUrl: {
    env: 'CONTROL_URL',
    doc: 'the URL to which the edge forwards /api/v1, /graphql and /.well-known',
    default: 'http://127.0.0.1:8081',
    parse: url('http:', 'https:'),
  },
  edgeProcesses: {
    env: 'EDGE_PROCESSES',
    doc: 'number of edge processes on this machine; 0 means one per core. Several share one more process, the committer, which commits their charges in common batches',
    default: '1',
    parse: integer(0, 256),
  },
  subgraphUrls: {
    env: 'SUBGRAPH_URLS',
    doc: 'subgraphs that run as separate processes, as `name=url` separated by commas; the others run in-process',
    default: '',
    parse: pairs,
  },
} satisfies Record<string, Setting<unknown>>
