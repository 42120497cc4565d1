import ipaddr from 'ipaddr.js'
import { NANOS_PER_DOLLAR, nanos } from '../money.ts'

/** One setting: its environment variable, doc, default and parser. */
export interface Setting<Value> {
  env: string
  doc: string
  default: string
  /** Throws an Error whose message completes "NAME must be …". */
  parse(raw: string): Value
  /** The default is public, so production refuses it. */
  secret?: boolean
}

/** Parsers of settings. Each throws an Error whose message completes "NAME must be …". */

export function text(raw: string): string {
  return raw
}

export function bool(raw: string): boolean {
  if (raw === 'true' || raw === '1') return true
  if (raw === 'false' || raw === '0') return false
  throw new Error('true or false')
}

export function integer(minimum: number, maximum: number): (raw: string) => number {
  return raw => {
    const value = /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new Error(`a whole number from ${minimum} to ${maximum}`)
  }
}

/** Parses a number from 0 to 1. */
export function share(raw: string): number {
  const value = Number(raw)
  if (raw.trim() === '' || !(value >= 0 && value <= 1)) throw new Error('a number from 0 to 1')
  return value
}

/** Parses an amount of dollars from 0 to `maximum` to nano-dollars. */
export function dollarAmount(maximum: number): (raw: string) => bigint {
  return raw => {
    const amount = /^\d+(\.\d{1,9})?$/.test(raw) ? nanos(Number(raw)) : undefined
    if (amount !== undefined && amount <= BigInt(maximum) * NANOS_PER_DOLLAR) return amount
    throw new Error(`an amount from 0 to ${maximum} with at most nine decimals`)
  }
}

export function oneOf<const Value extends string>(...values: Value[]): (raw: string) => Value {
  return raw => {
    const value = values.find(candidate => candidate === raw)
    if (value) return value
    throw new Error(`one of ${values.join(', ')}`)
  }
}

/** Parses an absolute URL and removes its trailing slash. */
export function url(...protocols: string[]): (raw: string) => string {
  return raw => {
    if (URL.canParse(raw) && protocols.includes(new URL(raw).protocol)) return raw.replace(/\/+$/, '')
    throw new Error(`an address that begins with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
  }
}

/** Accepts an empty value as well. */
export function optional<Value>(parse: (raw: string) => Value): (raw: string) => Value | '' {
  return raw => (raw === '' ? '' : parse(raw))
}

/** Several values, separated by commas. */
export function eachOf(parse: (raw: string) => string): (raw: string) => string {
  return raw => raw.split(',').map(parse).join(',')
}

/** A setting that `none` turns off. */
export function noneOr<Value>(parse: (raw: string) => Value): (raw: string) => Value | 'none' {
  return raw => (raw === 'none' ? 'none' : parse(raw))
}

export function address(raw: string): string {
  if (ipaddr.isValid(raw) || raw === 'localhost') return raw
  throw new Error('an IP address or localhost')
}

/** Parses `Name <name@example.com>` or the address alone. */
export function mailbox(raw: string): string {
  if (/^[^\s@<>",\p{C}]+@[^\s@<>",\p{C}]+$/u.test(/^[^<>",\p{C}]*<([^<>]+)>$/u.exec(raw)?.[1] ?? raw))
    return raw
  throw new Error('an e-mail address, `Name <name@example.com>` or without the name')
}

export function secret(minimumLength: number): (raw: string) => string {
  return raw => {
    if (raw.length >= minimumLength) return raw
    throw new Error(`at least ${minimumLength} characters long`)
  }
}

/** Parses at least one secret, separated by commas, each of at least `minimumLength` characters. */
export function secrets(minimumLength: number): (raw: string) => string[] {
  return raw => {
    const given = list(raw)
    if (given.length > 0 && given.every(({ length }) => length >= minimumLength)) return given
    throw new Error(`secrets of at least ${minimumLength} characters each, separated by commas`)
  }
}

/** Parses a secret with one of the prefixes and at least `minimumLength` characters. */
export function prefixedSecret(prefixes: string[], minimumLength: number): (raw: string) => string {
  return raw => {
    if (raw.length >= minimumLength && prefixes.some(prefix => raw.startsWith(prefix))) return raw
    throw new Error(`at least ${minimumLength} characters that begin with ${prefixes.join(' or ')}`)
  }
}

/** `name=value` pairs separated by commas, in their order. */
export function pairs(raw: string): Map<string, string> {
  const parts = list(raw).map(part => {
    const at = part.indexOf('=')
    if (at < 1) throw new Error('name=value pairs separated by commas')
    return [part.slice(0, at), part.slice(at + 1)] as const
  })
  return new Map(parts)
}

/** `name=N/M` pairs: a limit for accounts that never paid and one for paying accounts. */
export function tiers(raw: string): Map<string, { neverPaid: number; paying: number }> {
  const parts = [...pairs(raw)].map(([name, value]) => {
    const match = /^(\d{1,15})\/(\d{1,15})$/.exec(value)
    if (!match)
      throw new Error('name=N/M pairs separated by commas, N for accounts that never paid, M for paying ones')
    return [name, { neverPaid: Number(match[1]), paying: Number(match[2]) }] as const
  })
  return new Map(parts)
}

/** `name=hex` pairs of SHA-256 digests. */
export function digests(raw: string): Map<string, string> {
  const given = pairs(raw)
  if ([...given].every(([name, hex]) => /^[\w.-]{1,50}$/.test(name) && /^[0-9a-f]{64}$/.test(hex)))
    return given
  throw new Error('name=SHA-256 pairs, in hex, separated by commas')
}

/** `id=base64` pairs of keys that have `bytes` bytes each; at least one. */
export function keys(bytes: number): (raw: string) => Map<string, string> {
  return raw => {
    const given = list(raw).every(part => part.indexOf('=') > 0) ? pairs(raw) : new Map<string, string>()
    const fit = [...given.values()].every(key => Buffer.from(key, 'base64').length === bytes)
    if (given.size > 0 && fit) return given
    throw new Error(`id=base64 pairs of ${bytes} bytes each`)
  }
}

/** Parses at most `max` origins, normalised as browsers send them. */
export function originList(max: number): (raw: string) => string[] {
  return raw => {
    const parts = list(raw)
    if (parts.length > max) throw new Error(`at most ${max} origins`)
    return parts.map(part => {
      const { origin } = URL.canParse(part) ? new URL(part) : { origin: 'null' }
      if (origin === 'null' || !/^https?:/.test(origin))
        throw new Error('origins, `https://host`, separated by commas')
      return origin
    })
  }
}

/** Parses CIDR ranges. A single address is a range of one. */
export function cidrList(raw: string): string[] {
  return list(raw).map(part => {
    if (ipaddr.isValidCIDR(part)) return part
    if (ipaddr.isValid(part)) return `${part}/${ipaddr.parse(part).kind() === 'ipv4' ? 32 : 128}`
    throw new Error('IP addresses or CIDR ranges separated by commas')
  })
}

function list(raw: string): string[] {
  return raw
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
