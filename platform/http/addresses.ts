import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { memo } from '../memo.ts'

/** Returns the address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Returns a function that finds the client's address. `X-Forwarded-For` is trusted only from peers in `trustedProxies`
 * (CIDR ranges). The client is its rightmost entry that is not a trusted proxy. Entries to the left of it may be
 * forged.
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

/** Parses an address, with or without a port. IPv4 that is mapped to IPv6 becomes IPv4. */
function parse(text: string): Address | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined
}

/**
 * Returns the network to which limits per address apply: an IPv4 address itself, or the /64 around an IPv6 address, in
 * which one subscriber can use any number of addresses.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}

/** The limit of a site (`siteOf`), in multiples of one network's limit. */
export const networksPerSite = 4

/** Returns the /48 around an IPv6 address, which often belongs to one subscriber, or undefined for IPv4. */
export function siteOf(address: string): string | undefined {
  if (!ipaddr.IPv6.isValid(address)) return undefined
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
}

/**
 * Returns the largest network that often belongs to one subscriber: the /48 around an IPv6 address, or an IPv4 address
 * itself.
 */
export function widestNetworkOf(address: string): string {
  return siteOf(address) ?? address
}

/** Azure's internal service address, although it is in a public range. */
const azureInternal = '168.63.129.16'

/** The public range of IPv6. Other ranges are reserved or map to IPv4 addresses. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether requests may be sent to this IP address on behalf of a customer. Accepts every notation. */
export function isOpenAddress(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (!ipaddr.isValid(address)) return false
  if (isLoopback(address)) return allowLoopback
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === azureInternal) return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
