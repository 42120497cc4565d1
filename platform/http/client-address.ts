import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { memo } from '../memo.ts'

/** Says where a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Makes a reader of client addresses. `X-Forwarded-For` is believed only from peers in `trustedProxies` (CIDR
 * ranges), and of what it lists the rightmost address that is not a trusted proxy counts: everything left of
 * that was written by somebody we do not know.
 */
export function openClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map(range => ipaddr.parseCIDR(range))
  const trusted = (address: Address) =>
    ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))

  const plain = memo(10_000, text => parse(text)?.toString() ?? '')
  return request => {
    const isDirect = ranges.length === 0 || request.headers['x-forwarded-for'] === undefined
    if (isDirect) return plain(request.socket.remoteAddress ?? '')
    const peer = parse(request.socket.remoteAddress ?? '')
    if (!peer) return ''
    let nearest = peer
    for (const hop of hopsOf(request).reverse()) {
      if (!trusted(nearest)) break
      const address = parse(hop)
      if (!address) break
      nearest = address
    }
    return nearest.toString()
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

function hopsOf({ headers }: IncomingMessage): string[] {
  const header = headers['x-forwarded-for'] ?? ''
  return (Array.isArray(header) ? header.join(',') : header).split(',').filter(hop => hop.trim() !== '')
}

/** An address, with or without a port; IPv4 carried in IPv6 is taken as IPv4. */
function parse(text: string): Address | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}
