import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { type Duplex, Readable } from 'node:stream'
import { createProxyServer } from 'httpxy'
import type { Context } from 'koa'
import type { Config } from '../platform/config/read-config.ts'
import type { ClientAddress } from '../platform/http/addresses.ts'
import { endUnread } from '../platform/http/answer-unread.ts'
import { asksForWebSocket, originFormOf, pathOf } from '../platform/http/open-server.ts'
import { lengthOf, readBody } from '../platform/http/read-body.ts'
import type { Ids } from '../platform/ids.ts'
import type { LogLines } from '../platform/log.ts'
import { asProblem, Problem, presentProblem } from '../schema/errors.ts'
import { openProxied } from './proxied.ts'

/** The way to the control plane behind the same address. */
export interface ControlProxy {
  takes(path: string): boolean
  http(ctx: Context): void
  /** Whether a request is to leave HTTP. Never throws. */
  upgrades(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Cuts what has no end, WebSockets and streams of events, now and from now on: no server closes before they have. */
  close(): void
}

interface PassOnOptions {
  config: Pick<Config, 'controlUrl' | 'bodyTimeoutMs' | 'proxiedPerAddress' | 'proxiedTimeoutMs'>
  ids: Ids
  clientAddressOf: ClientAddress
  /** Told of what the control plane cannot tell itself. */
  lines: LogLines | undefined
}

/** What the control plane serves. */
export const controlPrefixes = ['/api/v1', '/graphql', '/.well-known', '/openapi.json', '/docs']

const beginnings = controlPrefixes.map(prefix => `${prefix}/`)

/** All networks together may have so many times what one may. */
const networks = 16

/** WebSockets and streams of events last: of these an office behind one address has many times more, and they cost less. */
const endlessPerRequest = 4

/** Streams of events, and exports of lists, which may be long: the control plane bounds these. */
const lastingTypes = /^(text\/event-stream|application\/x-ndjson|text\/csv)/

/** A body up to here is there whole before the control plane is asked: who sends slowly keeps nothing of it busy. */
const gatheredBytes = 1_048_576

/** What could say where a request comes from, also where nobody reads it yet. */
const origins = /^(x-forwarded.*|forwarded|x-real-ip)$/

/**
 * Passes `/api/v1`, `/graphql` (HTTP, SSE, WebSocket) and `/.well-known` on to the control plane, streaming both
 * ways. That believes the edge, so the edge alone says where a request comes from. While the control plane is down
 * the answer is `control_unavailable`, and `/v1` goes on. One network has a share of what is passed on, and an answer
 * has a time limit: slow clients do not shut others out.
 */
export function openControlProxy(options: PassOnOptions): ControlProxy {
  const { controlUrl, bodyTimeoutMs, proxiedPerAddress, proxiedTimeoutMs } = options.config
  const proxy = createProxyServer({ target: controlUrl, ws: true })
  const agent = new (controlUrl.startsWith('https') ? TlsAgent : Agent)({
    keepAlive: true,
    maxFreeSockets: 64,
  })
  const proxied = openProxied({ mostPerNetwork: proxiedPerAddress, most: networks * proxiedPerAddress })
  const endlessPerAddress = endlessPerRequest * proxiedPerAddress
  const lasting = openProxied({ mostPerNetwork: endlessPerAddress, most: networks * endlessPerAddress })
  const places = new WeakMap<ServerResponse, { address: string; leave: () => void }>()
  const endless = new Set<Duplex | ServerResponse>()
  const limits = new WeakMap<ServerResponse, NodeJS.Timeout>()
  const sent = new WeakMap<ServerResponse, ClientRequest>()
  let closing = false
  const watch = (stream: Duplex | ServerResponse) => {
    endless.add(stream)
    stream.once('close', () => endless.delete(stream))
  }
  proxy.on('proxyRes', ({ headers }, _, response) => {
    if (!lastingTypes.test(headers['content-type'] ?? '')) return
    clearTimeout(limits.get(response))
    moveToLasting(response)
    if (closing) response.destroy()
    else watch(response)
  })
  proxy.on('proxyReq', (request, _, response) => void sent.set(response, request))
  const takes = (path: string) =>
    controlPrefixes.includes(path) || beginnings.some(beginning => path.startsWith(beginning))
  return {
    takes,
    http(ctx) {
      ctx.respond = false
      const { req, res } = ctx
      const address = nameClient(req, options.clientAddressOf)
      if (address === '') return void res.destroy()
      pass(ctx, address).catch(error => {
        if (res.headersSent) return void res.destroy()
        answerProblem(ctx, options, asProblem(error))
      })
    },
    upgrades: request => asksForWebSocket(request) && takes(pathOf(request)),
    upgrade(request, socket, head) {
      const address = nameClient(request, options.clientAddressOf)
      if (closing || address === '') return void socket.destroy()
      const leave = tryToEnter(address)
      if (!leave)
        return void socket.end(
          'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n\r\n',
        )
      socket.once('close', leave)
      watch(socket)
      request.url = originFormOf(request)
      proxy.ws(request, socket as never, {}, head).catch(() => socket.destroy())
    },
    close() {
      closing = true
      for (const stream of endless) stream.destroy(new Error('the edge closes')) // an error also ends the other side
    },
  }

  async function pass({ req, res }: Context, address: string): Promise<void> {
    const leave = proxied.enter(address)
    places.set(res, { address, leave })
    res.once('close', leave)
    const length = lengthOf(req)
    const isGathered = length !== undefined && length > 0 && length <= gatheredBytes
    const body = isGathered && (await readBody(req, gatheredBytes, { graceMs: bodyTimeoutMs }))
    const limit = setTimeout(
      () => sent.get(res)?.destroy(new Error('passed on for too long')),
      proxiedTimeoutMs,
    )
    limits.set(res, limit)
    res.once('close', () => clearTimeout(limit))
    await proxy.web(req, res, { agent, ...(body && { buffer: Readable.from([body]) }) }).catch(cause => {
      throw new Problem('control_unavailable', { retryAfterSeconds: 1, cause })
    })
  }

  /** A stream of events makes room for requests; where there are too many it stays one of them. */
  function moveToLasting(response: ServerResponse): void {
    const place = places.get(response)
    const leave = place && tryToEnter(place.address)
    if (!leave) return
    response.once('close', leave)
    place.leave()
  }

  function tryToEnter(address: string): (() => void) | undefined {
    try {
      return lasting.enter(address)
    } catch {
      return undefined
    }
  }
}

function answerProblem(
  { req, res, method, path }: Context,
  { ids, lines }: PassOnOptions,
  problem: Problem,
): void {
  const { status, code, details } = problem
  const requestId = ids.tagged('req_')
  lines?.write({ requestId, method, path, status, error: code })
  const body = Buffer.from(JSON.stringify(presentProblem(problem)))
  res.setHeader('content-type', 'application/json').setHeader('content-length', body.length)
  res.setHeader('x-request-id', requestId)
  if (details.retryAfterSeconds) res.setHeader('retry-after', details.retryAfterSeconds)
  if (!req.complete) res.setHeader('connection', 'close')
  res.writeHead(status)
  endUnread(req, res, body)
}

/**
 * Replaces whatever a request says of its origin by the client's address as the edge sees it; answers it, and nothing
 * where that is gone with its connection. Of two credentials the receiver is told both, and refuses them: headers that
 * are passed on would carry the first alone.
 */
function nameClient(request: IncomingMessage, clientAddressOf: ClientAddress): string {
  const address = clientAddressOf(request)
  const { headers, headersDistinct } = request
  for (const name of Object.keys(headers)) if (origins.test(name)) delete headers[name]
  headers['x-forwarded-for'] = address
  const credentials = headersDistinct.authorization ?? []
  if (credentials.length > 1) headers.authorization = credentials.join(', ')
  return address
}
