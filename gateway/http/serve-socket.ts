import type { IncomingMessage } from 'node:http'
import type { Server } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import { parseJson } from '../../platform/http/parse-json.ts'
import type { Log } from '../../platform/log.ts'
import { maxBodyValues } from './max-body-bytes.ts'

/** A connection is asked so often whether it is still there, in milliseconds; one that does not answer is cut. */
const pingEveryMs = 12_000

/** What we have said and a connection has not read: beyond it nothing more is taken from it. */
const mostUnreadBytes = 4 * 1024 * 1024

/** graphql-transport-ws: the other side's message was none. */
const badRequest = 4400

/** And: it sends too many. */
const tooManyRequests = 4429

/** Speaks graphql-transport-ws on one connection, while it `takes` another message. Whatever goes wrong with it is one line of the log, and ends it. */
export function serveSocket(
  protocol: Server<{ socket: WebSocket; request: IncomingMessage }>,
  connection: { socket: WebSocket; request: IncomingMessage; address: string; log: Log; takes(): boolean },
): void {
  const { socket, request, address, log, takes } = connection
  const tell = (error: unknown) =>
    log.info(
      { address, path: '/graphql', error: error instanceof Error ? error.message : String(error) },
      'socket',
    )
  socket.on('error', tell) // a frame that is too large among them: ws closes the connection itself

  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const pinging = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingEveryMs)

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: text =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) return resolve()
          socket.send(text, error => (error ? reject(error) : resolve()))
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: take =>
        socket.on('message', data => {
          if (socket.readyState !== socket.OPEN) return // what was sent before it heard of its end
          if (socket.bufferedAmount > mostUnreadBytes) return socket.terminate() // it asks, and does not read
          if (!takes()) return socket.close(tooManyRequests, 'Too many messages')
          const text = readable(data)
          if (text === undefined) return socket.close(badRequest, 'Invalid message received')
          take(text).catch(error => {
            tell(error)
            socket.close(4500, 'Internal server error')
          })
        }),
    },
    { socket, request },
  )
  socket.once('close', (code, reason) => {
    clearInterval(pinging)
    Promise.resolve(closed(code, String(reason))).catch(tell)
  })
}

/** A message by the same bounds as a body: undefined for what is no JSON, nests too deep, or reaches a prototype. */
function readable(data: RawData): string | undefined {
  if (!Buffer.isBuffer(data)) return undefined // ws gives nothing else unless told to
  try {
    parseJson(data, maxBodyValues)
    return data.toString()
  } catch {
    return undefined
  }
}
