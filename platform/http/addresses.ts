import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { memo } from '../memo.ts'

/** Returns the address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Returns a function that finds the client's address. `X-Forwarded-For` is believed only from peers in
 * `trustedProxies` (CIDR ranges), and of its entries the rightmost that is no trusted proxy: what stands left
 * of that may be forged.
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

/**
 * The network that a limit by address counts: an IPv4 address itself, or the /64 around an IPv6 address, in
 * which one subscriber may use any number of addresses.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}

/** How many times the share of one network a whole site (`siteOf`) has. */
export const networksPerSite = 4

/** The /48 around an IPv6 address, which one subscriber often has as a whole; undefined for IPv4. */
export function siteOf(address: string): string | undefined {
  if (!ipaddr.IPv6.isValid(address)) return undefined
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
}

/** The largest network that one subscriber often has: the /48 around an IPv6 address, or an IPv4 address itself. */
export function widestNetworkOf(address: string): string {
  return siteOf(address) ?? address
}

/** Azure's internal service address, although it is in a public range. */
const azureInternal = '168.63.129.16'

/** The public range of IPv6; the rest is reserved, or maps to IPv4 addresses. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether requests may be sent to this IP address on behalf of a customer. Any notation is understood. */
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
