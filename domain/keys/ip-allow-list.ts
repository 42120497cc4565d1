import { BlockList, isIPv4 } from 'node:net'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'

/** Whether an address is allowed. */
export type AllowsAddress = (address: string) => boolean

/** Maximum number of entries in the list of a key. */
export const maxAllowListEntries = 10

const part = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'

/** An IPv4 address or CIDR range. Its parts have no leading zeros, because some parsers read those as octal. */
export const rangeShape = new RegExp(`^${part}(?:\\.${part}){3}(?:/(?:[12]?\\d|3[0-2]))?$`)

/** Checks a list: at most 10 entries, each an IPv4 address or CIDR range. Throws `validation_failed`. */
export function checkIpAllowList(entries: readonly string[]): void {
  if (entries.length > maxAllowListEntries)
    refuseParam('ipWhitelist', `takes at most ${maxAllowListEntries} entries`)
  checkAll(...entries.map((entry, index) => () => checkEntry(entry, index)))
}

function checkEntry(entry: string, index: number): void {
  if (!rangeShape.test(entry))
    throw new Problem('validation_failed', {
      param: `ipWhitelist[${index}]`,
      message: 'An entry must be an IPv4 address or CIDR range.',
    })
}

/**
 * Compiles a list once, to match many addresses. An empty list allows every address; any other allows no IPv6
 * address, except that an IPv4 address mapped to IPv6 (`::ffff:…`) counts as the IPv4 address.
 */
export function compileIpAllowList(entries: readonly string[]): AllowsAddress {
  if (entries.length === 0) return () => true
  const ranges = new BlockList()
  for (const entry of entries) {
    const [address = '', bits = '32'] = entry.split('/')
    if (rangeShape.test(entry)) ranges.addSubnet(address, Number(bits))
  }
  return text => {
    const address = text.replace(/^::ffff:/i, '')
    return isIPv4(address) && ranges.check(address)
  }
}
