import { Agent, type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Context } from 'koa'
import type { Config } from '../../platform/config/read-config.ts'
import type { ClientAddress } from '../../platform/http/addresses.ts'
import { endUnread } from '../../platform/http/answer-unread.ts'
import { asksForWebSocket, originFormOf, pathOf } from '../../platform/http/open-server.ts'
import { lengthOf, readBody } from '../../platform/http/read-body.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log.ts'
import { asProblem, Problem, presentProblem } from '../../schema/errors.ts'
import { endToEndHeaders } from './end-to-end-headers.ts'
import { forwardRequest } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { openProxied } from './proxied.ts'

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
  config: Pick<Config, 'controlUrl' | 'bodyTimeoutMs' | 'proxiedPerAddress' | 'proxiedTimeoutMs'>
  ids: Ids
  clientAddressOf: ClientAddress
  /** Logs a line for each request to which the control plane did not respond. */
  lines: LogLines | undefined
}

/** Path prefixes of the control plane. */
export const controlPrefixes = ['/api/v1', '/graphql', '/account', '/.well-known', '/openapi.json', '/docs']

const beginnings = controlPrefixes.map(prefix => `${prefix}/`)

/** The limit of all networks together, in multiples of one network's. */
const networks = 16

/**
 * The limit of WebSockets and streams per network, in multiples of the limit of requests: an office needs many, and
 * they cost less.
 */
const endlessPerRequest = 4

/** Paths of event streams and exports. They may be long, and the control plane limits them. */
const lastingTypes = /^(text\/event-stream|application\/x-ndjson|text\/csv)/

/**
 * Maximum size of a body that is read completely before the control plane is called, so that a slow client does not
 * occupy it.
 */
const gatheredBytes = 1_048_576

/** Headers that could state the origin of a request. */
const origins = /^(x-forwarded.*|forwarded|x-real-ip)$/

const nothing = Buffer.alloc(0)

/**
 * Forwards what the control plane serves (`controlPrefixes`) to it over HTTP, SSE and WebSocket, streaming both ways.
 * The control plane trusts the edge, so the edge replaces the origin headers of clients. While the control plane is
 * unavailable, the response is `control_unavailable`, and `/v1` works. The number of forwarded requests per network is
 * limited, and each response has a time limit, so that slow clients do not block others.
 */
export function openControlProxy(options: ProxyOptions): ControlProxy {
  const { controlUrl, bodyTimeoutMs, proxiedPerAddress, proxiedTimeoutMs } = options.config
  const target = new URL(controlUrl)
  const agent = new (target.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxFreeSockets: 64 })
  const proxied = openProxied({ maxPerNetwork: proxiedPerAddress, max: networks * proxiedPerAddress })
  const endlessPerAddress = endlessPerRequest * proxiedPerAddress
  const lasting = openProxied({ maxPerNetwork: endlessPerAddress, max: networks * endlessPerAddress })
  const endless = new Set<Duplex | ServerResponse>()
  let closing = false
  const watch = (stream: Duplex | ServerResponse) => {
    endless.add(stream)
    stream.once('close', () => endless.delete(stream))
  }
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
      if (closing || address === '' || !(socket instanceof Socket)) return void socket.destroy()
      watch(socket)
      request.url = originFormOf(request)
      forwardSocket(request, { address, socket, head }).catch(error =>
        answerProblem(request, answerOver(request, socket), options, asProblem(error)),
      )
    },
    close() {
      closing = true
      for (const stream of endless) stream.destroy(new Error('the edge closes')) // an error also ends the other side
    },
  }

  async function forward(req: IncomingMessage, res: ServerResponse, address: string): Promise<void> {
    const leave = proxied.enter(address)
    const { signal, keepOn } = limitOf(res, leave)
    const length = lengthOf(req)
    const isGathered = length !== undefined && length > 0 && length <= gatheredBytes
    const body = isGathered
      ? await readBody(req, gatheredBytes, { graceMs: bodyTimeoutMs })
      : length === 0
        ? nothing
        : undefined
    const answer = await forwardRequest(req, {
      target,
      agent,
      headers: headersFor(req, address),
      body,
      signal,
    }).catch(unavailable)
    const lasts = lastingTypes.test(answer.headers['content-type'] ?? '')
    if (lasts) {
      keepOn()
      moveToLasting(res, address, leave)
      if (closing) return void res.destroy()
      watch(res)
    }
    answerWith(answer, res)
    if (lasts) res.flushHeaders()
  }

  async function forwardSocket(
    request: IncomingMessage,
    { address, socket, head }: { address: string; socket: Socket; head: Buffer },
  ): Promise<void> {
    const { signal, keepOn } = limitOf(socket, lasting.enter(address))
    const headers = headersFor(request, address)
    const refusal = await forwardUpgrade(request, { target, headers, socket, head, signal }).catch(
      unavailable,
    )
    if (refusal) answerWith(refusal, answerOver(request, socket))
    else keepOn()
  }

  /** Ends an exchange with its client, which calls `leave`, or after `proxiedTimeoutMs` unless `keepOn` is called. */
  function limitOf(
    client: ServerResponse | Socket,
    leave: () => void,
  ): { signal: AbortSignal; keepOn: () => void } {
    const ended = new AbortController()
    const limit = setTimeout(() => ended.abort(), proxiedTimeoutMs)
    const keepOn = () => clearTimeout(limit)
    client.once('close', () => {
      leave()
      keepOn()
      ended.abort()
    })
    return { signal: ended.signal, keepOn }
  }

  /**
   * Moves a stream from the limit of requests to the limit of streams. If there are too many streams, it keeps its
   * place among the requests.
   */
  function moveToLasting(res: ServerResponse, address: string, leave: () => void): void {
    try {
      res.once('close', lasting.enter(address))
      leave()
    } catch {}
  }
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
