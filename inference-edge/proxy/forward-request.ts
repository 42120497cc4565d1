import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as overHttp,
} from 'node:http'
import { request as overTls } from 'node:https'
import type { Socket } from 'node:net'
import { lengthOf } from '../../platform/http/read-body.ts'

interface ForwardOptions {
  target: URL
  agent: Agent
  /** The headers that the target gets, without framing headers. */
  headers: OutgoingHttpHeaders
  /** The body, if it was read before. Otherwise the body is streamed. */
  body: Buffer | undefined
  /** Ends the exchange, even after its response has begun. */
  signal: AbortSignal
}

/** Methods that a server may get twice (RFC 9110, 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/**
 * Sends a request to `target` and returns the response when its headers have arrived. If a reused connection fails, the
 * request is sent again on a new one, unless the target may already have acted on it. Throws the error that ends the
 * exchange before that.
 */
export async function forwardRequest(
  incoming: IncomingMessage,
  { agent, ...options }: ForwardOptions,
): Promise<IncomingMessage> {
  const first = send(incoming, { ...options, agent })
  try {
    return await first.answer
  } catch (error) {
    if (options.signal.aborted || !first.maySendAgain()) throw error
    return send(incoming, { ...options, agent: false }).answer
  }
}

/** Opens a request to `target` with the method and path of another one. */
export function openRequest(
  { method, url = '/' }: IncomingMessage,
  { target, ...options }: Pick<ForwardOptions, 'target' | 'headers' | 'signal'> & { agent: Agent | false },
): ClientRequest {
  const { protocol, hostname, port, pathname } = target
  return (protocol === 'https:' ? overTls : overHttp)({
    ...options,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method,
    path: `${pathname.replace(/\/$/, '')}${url}`,
  })
}

function send(
  incoming: IncomingMessage,
  { body, headers, ...options }: Omit<ForwardOptions, 'agent'> & { agent: Agent | false },
) {
  const outgoing = openRequest(incoming, {
    ...options,
    headers: { ...headers, ...framingOf(incoming, body) },
  })
  let isBegun = false
  const begin = (socket: Socket) => {
    if (outgoing.destroyed) return
    if (!socket.writable || socket.readableEnded) return void outgoing.destroy()
    isBegun = true
    if (body) outgoing.end(body.length > 0 ? body : undefined)
    else incoming.pipe(outgoing)
  }
  // One turn of the event loop first reports idle connections that were closed, so that nothing is sent over them.
  outgoing.once('socket', socket => (outgoing.reusedSocket ? setImmediate(begin, socket) : begin(socket)))
  return {
    answer: answerTo(outgoing),
    maySendAgain() {
      const isHarmless = body !== undefined && idempotent.has(incoming.method ?? '')
      return outgoing.reusedSocket && (!isBegun || isHarmless)
    },
  }
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject) // after the response has begun, the response fails too
    outgoing.once('close', () => reject(new Error('closed without an answer')))
    outgoing.once('response', answer => {
      answer.once('end', () => outgoing.writableFinished || outgoing.destroy())
      resolve(answer)
    })
  })
}

/** The framing is stated again, because a client can list `Content-Length` under `Connection`. */
function framingOf(incoming: IncomingMessage, body: Buffer | undefined): OutgoingHttpHeaders {
  const length = body?.length ?? lengthOf(incoming)
  if (length === undefined) return { 'transfer-encoding': 'chunked' }
  return length > 0 || incoming.headers['content-length'] !== undefined ? { 'content-length': length } : {}
}
