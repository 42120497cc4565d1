import ipaddr from 'ipaddr.js'

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
