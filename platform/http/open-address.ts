import ipaddr from 'ipaddr.js'

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
