import { lookup } from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { isLoopback, isOpenAddress } from '../../platform/http/addresses.ts'
import { answerTooLong } from './byte-queue.ts'

/** A refused address. The message does not contain it: a customer must not learn what a name resolves to. */
export class AddressRefused extends Error {
  readonly address: string

  constructor(address: string) {
    super('the address does not lead to a public one, over TLS')
    this.name = 'AddressRefused'
    this.address = address
  }
}

/**
 * A connector for addresses that customers name: it connects only to public unicast addresses, over TLS. It checks the
 * address as written, what its name resolves to, and the peer of the open socket, so that neither an unusual notation
 * nor a second DNS answer leads elsewhere. `allowLoopback` also allows simulators on this machine, without TLS. A
 * connection is closed if the response to one request has more than `maxResponseBytes` in total.
 */
export function guardedConnector(guard: {
  allowLoopback: boolean
  timeoutMs: number
  maxResponseBytes: number
}): buildConnector.connector {
  const connect = buildConnector({ timeout: guard.timeoutMs, lookup: guardedLookup(guard) })
  return (options, callback) => {
    const isPlain = options.protocol !== 'https:'
    const refuse = (address: string) => callback(new AddressRefused(address), null)
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isPlain && !guard.allowLoopback) return refuse(host)
    if (ipaddr.isValid(host) && !isOpenAddress(host, guard)) return refuse(host)
    connect(options, (error, socket) => {
      if (!socket) return callback(error, null)
      const peer = socket.remoteAddress ?? ''
      if (isOpenAddress(peer, guard) && (!isPlain || isLoopback(peer))) {
        limitResponses(socket, guard.maxResponseBytes)
        return callback(null, socket)
      }
      socket.destroy()
      refuse(peer)
    })
  }
}

/**
 * Destroys the socket if more than `maxBytes` arrive after the last byte of a request. Limits of the body do not count
 * the rest: interim responses, chunk extensions and a status line without an end cost CPU and reach no handler.
 */
function limitResponses(socket: Socket, maxBytes: number): void {
  let sentBytes = 0
  let bytesBefore = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== sentBytes) {
      sentBytes = socket.bytesWritten
      bytesBefore = socket.bytesRead
    } else if (socket.bytesRead - bytesBefore > maxBytes) socket.destroy(answerTooLong())
  })
}

/** Resolves a name. Fails if any of its addresses is not allowed. */
function guardedLookup(guard: { allowLoopback: boolean }): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !isOpenAddress(address, guard))
      const [first] = addresses ?? []
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '')
      if (refused) return callback(new AddressRefused(refused.address), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
