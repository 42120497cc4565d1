import {
  cidrList,
  digests,
  integer,
  keys,
  oneOf,
  optional,
  originList,
  type Setting,
  secret,
  text,
  url,
} from './parsers.ts'

/** Secrets, and who is believed. */
export const trust = {
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
  operatorKeys: {
    env: 'OPERATOR_KEYS',
    doc: 'operators who may call the graph, `name=SHA-256 of their key in hex` separated by commas (`npm run operator:key -- NAME`); empty is nobody',
    default: '',
    parse: digests,
  },
  operatorNetworks: {
    env: 'OPERATOR_NETWORKS',
    doc: 'CIDR ranges from which operators may call, separated by commas; empty is everywhere',
    default: '',
    parse: cidrList,
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    doc: 'CIDR ranges of proxies whose X-Forwarded-For is believed, separated by commas',
    default: '',
    parse: cidrList,
  },
  signUp: {
    env: 'SIGN_UP',
    doc: '`open` to everybody, or `closed`: then operators open accounts (`npm run account:create`)',
    default: 'open',
    parse: oneOf('open', 'closed'),
  },
  allowedOrigins: {
    env: 'ALLOWED_ORIGINS',
    doc: 'origins of web pages that may call the management API and open WebSockets besides that of BASE_URL, `https://console.example.com`, separated by commas',
    default: '',
    parse: originList(100),
  },
  inferenceOrigins: {
    env: 'INFERENCE_ORIGINS',
    doc: 'origins of web pages that may call `/v1` from a browser, likewise; a page gives its API key to whoever opens it',
    default: '',
    parse: originList(100),
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
} satisfies Record<string, Setting<unknown>>
