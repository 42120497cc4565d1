import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { isLoopback, isOpenAddress } from '../../platform/http/open-address.ts'

/** An address that customers may not lead us to. The message does not name it: a name may have led there. */
export class AddressRefused extends Error {
  readonly address: string

  constructor(address: string) {
    super('the address does not lead to a public one, over TLS')
    this.name = 'AddressRefused'
    this.address = address
  }
}

/**
 * Connects only to where anybody may: public unicast addresses, over TLS. Looks at the address as it is written, at
 * what its name resolves to, and at the peer of the open socket, so that no spelling and no second look-up of a name
 * leads elsewhere. `allowLoopback` lets simulators in, without TLS as well.
 */
export function guardedConnector(guard: {
  allowLoopback: boolean
  timeoutMs: number
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
      if (isOpenAddress(peer, guard) && (!isPlain || isLoopback(peer))) return callback(null, socket)
      socket.destroy()
      refuse(peer)
    })
  }
}

/** Looks a name up, and fails where any of its addresses is closed. */
function guardedLookup(guard: { allowLoopback: boolean }): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const closed = addresses?.find(({ address }) => !isOpenAddress(address, guard))
      const [first] = addresses ?? []
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '')
      if (closed) return callback(new AddressRefused(closed.address), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
