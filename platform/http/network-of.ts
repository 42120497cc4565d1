import ipaddr from 'ipaddr.js'

/**
 * The network that one subscriber has: an IPv4 address alone, or the /64 that an IPv6 address lies in, from which its
 * owner may take as many addresses as he likes. What limits somebody by his address counts this.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}
