import { Agent, type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Context } from 'koa'
import type { ClientAddress } from '../../platform/http/addresses.ts'
import { endUnread } from '../../platform/http/answer-unread.ts'
import { asksForWebSocket, originFormOf, pathOf } from '../../platform/http/open-server.ts'
import { lengthOf, readBody } from '../../platform/http/read-body.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { asProblem, Problem, presentProblem } from '../../schema/errors.ts'
import type { EdgeLimits } from '../edge-limits.ts'
import { endToEndHeaders } from './end-to-end-headers.ts'
import { forwardRequest } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { openProxied, type Proxied } from './proxied.ts'

/** Forwards requests to the control plane behind the same address. */
export interface ControlProxy {
  takes(path: string): boolean
  http(ctx: Context): void
  /** Forwards a request that switches from HTTP to WebSocket. Never throws. */
  upgrades(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends open and future WebSockets and event streams, which would keep the server from closing. */
  close(): void
}

interface ProxyOptions {
  controlUrl: string
  limits: Pick<EdgeLimits, 'bodyTimeoutMs' | 'proxiedPerAddress'>
  ids: Ids
  clientAddressOf: ClientAddress
  /** Logs a line for each request to which the control plane did not respond. */
  lines: LogLines | undefined
  tracing: Tracing | undefined
}

/** Path prefixes of the control plane. */
export const controlPrefixes = [
  '/api/v1',
  '/graphql',
  '/account',
  '/.well-known',
  '/openapi.json',
  '/docs',
  '/console',
]

const beginnings = controlPrefixes.map(prefix => `${prefix}/`)

/** The limit of all networks together, in multiples of one network's. */
const networks = 16

/**
 * The limit of WebSockets and streams per network, in multiples of the limit of requests: an office needs many, and
 * they cost less.
 */
const endlessPerRequest = 4

/**
 * Maximum duration of a forwarded request, in milliseconds. Event streams and WebSockets have no limit; exports have
 * their own.
 */
const maxExchangeMs = 60_000

/**
 * Idle time after which a connection to the control plane is closed, in milliseconds. The control plane closes it later: if
 * it were first, a mutation that is sent at this moment would fail, because only reads are repeated.
 */
const idleMs = 15_000

/** Content types of event streams and exports. They may be long, and the control plane limits them. */
const lastingTypes = /^(text\/event-stream|application\/x-ndjson|text\/csv)/

/**
 * Maximum size of a body that is read completely before the control plane is called, so that a slow client does not
 * occupy it.
 */
const gatheredBytes = 1_048_576

/** Headers that could state the origin of a request or its trace. */
const origins = /^(x-forwarded.*|forwarded|x-real-ip|traceparent|tracestate)$/

const nothing = Buffer.alloc(0)

/**
 * Forwards what the control plane serves (`controlPrefixes`) to it over HTTP, SSE and WebSocket, streaming both ways.
 * The control plane trusts the edge, so the edge replaces the origin headers of clients. While the control plane is
 * unavailable, the response is `control_unavailable`, and `/v1` works. The number of forwarded requests per network is
 * limited, and each response has a time limit, so that slow clients do not block others.
 */
export function openControlProxy(options: ProxyOptions): ControlProxy {
  const { bodyTimeoutMs, proxiedPerAddress } = options.limits
  const target = new URL(options.controlUrl)
  const agent = new (target.protocol === 'https:' ? TlsAgent : Agent)({
    keepAlive: true,
    maxFreeSockets: 64,
    timeout: idleMs,
  })
  const proxied = openProxied({ maxPerNetwork: proxiedPerAddress, max: networks * proxiedPerAddress })
  const endlessPerAddress = endlessPerRequest * proxiedPerAddress
  const lasting = openProxied({ maxPerNetwork: endlessPerAddress, max: networks * endlessPerAddress })
  const endless = new EndlessStreams()
  const takes = (path: string) =>
    controlPrefixes.includes(path) || beginnings.some(beginning => path.startsWith(beginning))
  return {
    takes,
    http(ctx) {
      ctx.respond = false
      const { req, res } = ctx
      const address = options.clientAddressOf(req)
      if (address === '') return void res.destroy()
      forward(req, res, address).catch(error => answerProblem(req, res, options, asProblem(error)))
    },
    upgrades: request => asksForWebSocket(request) && takes(pathOf(request)),
    upgrade(request, socket, head) {
      socket.on('error', () => {}) // its 'close' follows
      const address = options.clientAddressOf(request)
      if (endless.isClosed || address === '' || !(socket instanceof Socket)) return void socket.destroy()
      endless.add(socket)
      request.url = originFormOf(request)
      forwardSocket(request, { address, socket, head }).catch(error =>
        answerProblem(request, answerOver(request, socket), options, asProblem(error)),
      )
    },
    close: () => endless.close(),
  }

  async function forward(req: IncomingMessage, res: ServerResponse, address: string): Promise<void> {
    const leave = proxied.enter(address)
    const { signal, keepOn } = openLimit(res, leave)
    const body = await readSmallBody(req, bodyTimeoutMs)
    const answer = await forwardRequest(req, {
      target,
      agent,
      headers: { ...headersFor(req, address), ...traceForwarded(options.tracing, req, res) },
      body,
      signal,
    }).catch(unavailable)
    const lasts = lastingTypes.test(answer.headers['content-type'] ?? '')
    if (lasts) {
      keepOn()
      move(res, { to: lasting, address, leave })
      if (endless.isClosed) return void res.destroy()
      endless.add(res)
    }
    answerWith(answer, res)
    if (lasts) res.flushHeaders()
  }

  async function forwardSocket(
    request: IncomingMessage,
    { address, socket, head }: { address: string; socket: Socket; head: Buffer },
  ): Promise<void> {
    const { signal, keepOn } = openLimit(socket, lasting.enter(address))
    const headers = headersFor(request, address)
    const refusal = await forwardUpgrade(request, { target, headers, socket, head, signal }).catch(
      unavailable,
    )
    if (refusal) answerWith(refusal, answerOver(request, socket))
    else keepOn()
  }
}

/** Begins the span of a forwarded request, which ends with its response. Returns the header with which its trace continues. */
function traceForwarded(
  tracing: Tracing | undefined,
  { method = '', headersDistinct }: IncomingMessage,
  res: ServerResponse,
): OutgoingHttpHeaders {
  if (!tracing) return {}
  const span = tracing.start('forwarded request', {
    linksTo: headersDistinct.traceparent?.[0],
    attributes: { 'http.request.method': method },
  })
  res.once('close', () => {
    const requestId = res.getHeader('x-request-id')
    span.end({
      attributes: {
        'http.response.status_code': res.statusCode,
        'rubicon.request_id': typeof requestId === 'string' ? requestId : undefined,
      },
    })
  })
  return { traceparent: span.traceparent }
}

/** The open WebSockets and streams of events. */
class EndlessStreams {
  readonly #open = new Set<Duplex | ServerResponse>()
  isClosed = false

  add(stream: Duplex | ServerResponse): void {
    this.#open.add(stream)
    stream.once('close', () => this.#open.delete(stream))
  }

  close(): void {
    this.isClosed = true
    for (const stream of this.#open) stream.destroy(new Error('the edge closes')) // an error also ends the other side
  }
}

/** Ends an exchange with its client, which calls `leave`, or after `maxExchangeMs` unless `keepOn` is called. */
function openLimit(
  client: ServerResponse | Socket,
  leave: () => void,
): { signal: AbortSignal; keepOn: () => void } {
  const ended = new AbortController()
  const limit = setTimeout(() => ended.abort(), maxExchangeMs)
  const keepOn = () => clearTimeout(limit)
  client.once('close', () => {
    leave()
    keepOn()
    ended.abort()
  })
  return { signal: ended.signal, keepOn }
}

/** Reads a body of at most `gatheredBytes`. Returns undefined if the body is longer or its length is unknown. */
async function readSmallBody(req: IncomingMessage, graceMs: number): Promise<Buffer | undefined> {
  const length = lengthOf(req)
  if (length === undefined || length > gatheredBytes) return undefined
  return length === 0 ? nothing : readBody(req, gatheredBytes, { graceMs })
}

/** Counts a stream in `to` and calls `leave`. If there are too many streams, it keeps its slot. */
function move(
  res: ServerResponse,
  { to, address, leave }: { to: Proxied; address: string; leave: () => void },
): void {
  try {
    res.once('close', to.enter(address))
    leave()
  } catch {}
}

function unavailable(cause: unknown): never {
  throw new Problem('control_unavailable', { retryAfterSeconds: 1, cause })
}

function answerWith(answer: IncomingMessage, res: ServerResponse): void {
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer.headers))
  answer.once('error', () => res.destroy()).pipe(res)
}

/** A response to a request whose connection has left Node's HTTP server. */
function answerOver(request: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(request)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  res.once('finish', () => socket.end())
  return res
}

function answerProblem(
  req: IncomingMessage,
  res: ServerResponse,
  { ids, lines }: ProxyOptions,
  problem: Problem,
): void {
  if (res.headersSent) return void res.destroy()
  const { status, code, details } = problem
  const requestId = ids.tagged('req_')
  lines?.write({ requestId, method: req.method, path: pathOf(req), status, error: code })
  const body = Buffer.from(JSON.stringify(presentProblem(problem)))
  res.setHeader('content-type', 'application/json').setHeader('content-length', body.length)
  res.setHeader('x-request-id', requestId)
  if (details.retryAfterSeconds) res.setHeader('retry-after', details.retryAfterSeconds)
  if (!req.complete) res.setHeader('connection', 'close')
  res.writeHead(status)
  endUnread(req, res, body)
}

/**
 * Returns the headers that the control plane gets. The client's own origin headers are replaced by its address as the
 * edge sees it. Two credentials become one header that the control plane refuses. The edge has answered `Expect`.
 */
function headersFor({ headers, headersDistinct }: IncomingMessage, address: string): OutgoingHttpHeaders {
  const kept = Object.entries(endToEndHeaders(headers)).filter(
    ([name]) => !origins.test(name) && name !== 'expect',
  )
  const { host } = headers
  const { authorization = [] } = headersDistinct
  return {
    ...Object.fromEntries(kept),
    ...(host !== undefined && { host }),
    ...(authorization.length > 1 && { authorization: authorization.join(', ') }),
    'x-forwarded-for': address,
  }
}
