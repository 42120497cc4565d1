import ipaddr from 'ipaddr.js'
import { isLoopback, isOpenAddress } from './addresses.ts'

/** Host names that resolve only inside a private network. */
const privateNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/**
 * Returns the rule that a customer's URL violates, as the end of a sentence "… must", or undefined if it is valid:
 * HTTPS, no credentials, and a public address if the host is an IP address in any notation. The address of a host name
 * is checked when it is called. `allowLoopback` also accepts this machine, even over plain HTTP.
 */
export function objectionToUrl(
  { protocol, hostname, username, password }: URL,
  rules: { allowLoopback: boolean },
): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isHere = rules.allowLoopback && (isLoopback(host) || host === 'localhost')
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) return 'begin with https://'
  if (username !== '' || password !== '') return 'not carry credentials'
  return isHere || isPublicHost(host, rules) ? undefined : 'be a public address'
}

/** `new URL` has normalised every notation of IPv4 (`127.1`, `0x7f000001`, `2130706433`). */
function isPublicHost(host: string, rules: { allowLoopback: boolean }): boolean {
  return ipaddr.isValid(host) ? isOpenAddress(host, rules) : host.includes('.') && !privateNames.test(host)
}
