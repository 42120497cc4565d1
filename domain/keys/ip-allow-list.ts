import { Problem } from '../../schema/errors.ts'
import { checkAll } from '../check-all.ts'

/** Whether an address is allowed. */
export type AllowsAddress = (address: string) => boolean

/** The most entries that the list of a key may have. */
export const maxAllowListEntries = 10

const part = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const fourParts = `${part}(?:\\.${part}){3}`
const addressShape = new RegExp(`^${fourParts}$`)

/** An IPv4 address or CIDR range. Its parts have no leading zeros, because some parsers read those as octal. */
export const rangeShape = new RegExp(`^${fourParts}(?:/(?:[12]?\\d|3[0-2]))?$`)

/** Checks a list: at most 10 entries, each an IPv4 address or CIDR range. Throws `validation_failed`. */
export function checkIpAllowList(entries: readonly string[]): void {
  if (entries.length > maxAllowListEntries)
    refuse(`ipWhitelist takes at most ${maxAllowListEntries} entries.`, 'ipWhitelist')
  checkAll(...entries.map((entry, index) => () => checkEntry(entry, index)))
}

function checkEntry(entry: string, index: number): void {
  if (!rangeOf(entry)) refuse('An entry must be an IPv4 address or CIDR range.', `ipWhitelist[${index}]`)
}

/**
 * Compiles a list once, to match many addresses. An empty list allows every address; any other allows no IPv6
 * address, except that an IPv4 address mapped to IPv6 (`::ffff:…`) counts as the IPv4 address.
 */
export function compileIpAllowList(entries: readonly string[]): AllowsAddress {
  if (entries.length === 0) return () => true
  const ranges = entries.map(rangeOf).filter(range => range !== undefined)
  return text => {
    const address = addressOf(text.replace(/^::ffff:/i, ''))
    return address !== undefined && ranges.some(({ base, mask }) => (address & mask) >>> 0 === base)
  }
}

interface Range {
  base: number
  mask: number
}

function rangeOf(entry: string): Range | undefined {
  const [text = '', bits = '32'] = entry.split('/')
  const address = rangeShape.test(entry) ? addressOf(text) : undefined
  if (address === undefined) return undefined
  const mask = bits === '0' ? 0 : (-1 << (32 - Number(bits))) >>> 0
  return { base: (address & mask) >>> 0, mask }
}

function addressOf(text: string): number | undefined {
  if (!addressShape.test(text)) return undefined
  return text.split('.').reduce((address, part) => address * 256 + Number(part), 0)
}

function refuse(message: string, param: string): never {
  throw new Problem('validation_failed', { param, message })
}
