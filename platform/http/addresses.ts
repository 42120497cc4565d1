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

/**
 * The network that one subscriber has: an IPv4 address alone, or the /64 that an IPv6 address lies in, from
 * which its owner may take as many addresses as he likes. What limits somebody by his address counts this.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}

/**
 * A site has so many times the share of one of its networks: an organisation of its own, or one who only says
 * so.
 */
export const networksPerSite = 4

/**
 * The /48 that an IPv6 address lies in, of which one subscriber is often given the whole; undefined for IPv4.
 */
export function siteOf(address: string): string | undefined {
  if (!ipaddr.IPv6.isValid(address)) return undefined
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
}

/** Answers inside one cloud although it looks public. */
const hostOfOneCloud = '168.63.129.16'

/** What is handed out to the public of IPv6; the rest is reserved, or leads to IPv4 in disguise. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether a customer may lead us to this IP address, however it is spelled; simulators are on loopback. */
export function isOpenAddress(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (!ipaddr.isValid(address)) return false
  if (isLoopback(address)) return allowLoopback
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === hostOfOneCloud) return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
