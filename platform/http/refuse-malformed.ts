import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { endUnread } from './answer-unread.ts'

/** A request that is not valid HTTP (RFC 9112), up to the position of the error. */
export interface Malformed {
  status: 400 | 408 | 413 | 431
  message: string
  /**
   * The request's head verbatim, one character per byte. Undefined if its beginning arrived in an earlier packet.
   */
  head: string | undefined
}

/** The error of Node's parser, with the bytes that it refused. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** The response to a malformed request. */
export interface Refusal {
  status: number
  /** The body, as JSON. */
  body: string
  headers?: Record<string, string>
}

/**
 * Responds with `refuse` to requests that Node's parser refuses. If a response was already sent, only closes the
 * connection.
 */
export function answerMalformed(server: Server, refuse: (malformed: Malformed) => Refusal): void {
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    const response: unknown = Reflect.get(socket, '_httpMessage') // like Node's own listener
    const isAnswered =
      typeof response === 'object' && response !== null && Reflect.get(response, 'headersSent')
    if (!socket.writable || isAnswered || error.code === 'ECONNRESET') return void socket.destroy(error)
    const { status, body, headers } = refuse(malformedBy(error))
    const lines = Object.entries({ ...headers, ...headersOf(body) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    socket.destroy(error)
  })
}

/**
 * Refuses a request that does not have exactly one host (RFC 9112, 3.2), because a proxy could read a different one.
 */
export function refuseHosts(
  request: IncomingMessage,
  response: ServerResponse,
  refuse: (malformed: Malformed) => Refusal,
): void {
  const what = request.headers.host === undefined ? 'none' : 'more'
  const message = `A request has one Host header, this one has ${what}.`
  const { status, body, headers } = refuse({ status: 400, message, head: undefined })
  response.writeHead(status, { ...headers, ...headersOf(body) })
  endUnread(request, response, Buffer.from(body))
}

/** Whether a request names exactly one host. In HTTP/1.0, it can name none. */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** The default: the error body of docs/behaviour.md, Errors. */
export function refusePlainly({ status, message }: Malformed): Refusal {
  const error = { message, type: 'invalid_request_error', code: 'invalid_request', param: null }
  return { status, body: JSON.stringify({ code: status, msg: message, error }) }
}

function headersOf(body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
}

const requestLine = /^[A-Z]+ [^\r\n]*HTTP\/1\.[01]\r?\n/
const longestHead = 65_536

function malformedBy({ code, rawPacket }: ParserError): Malformed {
  const text = rawPacket?.subarray(0, longestHead).toString('latin1') ?? ''
  const isLineGood = code !== 'HPE_INVALID_URL' && requestLine.test(text)
  const head = isLineGood ? text.split(/\r?\n\r?\n/, 1)[0] : undefined
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, message: 'The headers are too large.', head: undefined }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { status: 413, message: 'The chunks of the body have too long extensions.', head: undefined }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, message: 'The request was not received in time.', head: undefined }
  }
  return { status: 400, message: 'The request is not valid HTTP.', head }
}
