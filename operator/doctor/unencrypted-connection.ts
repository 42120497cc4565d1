import { lookup } from 'node:dns/promises'
import { isOpenAddress } from '../../platform/http/addresses.ts'
import type { Finding } from './check.ts'

/**
 * Returns a finding with `remedy` if connections without TLS to the host of a URL, or to the first of several, leave the
 * private network: the host has a public address.
 */
export async function unencryptedFindings(url: string, remedy: string): Promise<Finding[]> {
  const host = new URL(url.split(',')[0] ?? '').hostname.replace(/^\[|\]$/g, '')
  const addresses = await lookup(host, { all: true })
  const isExposed = addresses.some(({ address }) => isOpenAddress(address, { allowLoopback: false }))
  return isExposed ? [{ fault: 'the connection leaves the private network without TLS', remedy }] : []
}
