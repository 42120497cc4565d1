import ipaddr from 'ipaddr.js'
import { isLoopback, isOpenAddress } from '../../platform/http/open-address.ts'
import { Problem } from '../../schema/errors.ts'
import type { Json } from '../../schema/json.ts'
import { checkHeaderText } from './credential-settings.ts'

/** Refuses a value: `param` as the graph spells it, and the rule that completes "param …". */
export function refuse(param: string, rule: string): never {
  throw new Problem('validation_failed', { param, message: `${param} ${rule}.` })
}

/** What an operator lets customers lead us to. */
export interface AddressRules {
  allowLoopback: boolean
}

const maxLength = 2048

/** Names that lead nowhere but into the system of whoever resolves them. */
const inwardNames = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/

/**
 * Checks an address that a customer wants called: HTTPS, without credentials or query, and where it names an IP
 * address in any spelling, a public one. What a name resolves to is checked when it is called. With `allowLoopback`
 * loopback will do, without TLS as well. Throws `validation_failed`; answers the address in its one form.
 */
export function checkAddress(text: string, { param, rules }: { param: string; rules: AddressRules }): string {
  if (text.length > maxLength) refuse(param, `must have at most ${maxLength} characters`)
  if (!URL.canParse(text)) refuse(param, 'must be an absolute address')
  const { protocol, hostname, username, password, search, hash, href } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isHere = rules.allowLoopback && (isLoopback(host) || host === 'localhost')
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) refuse(param, 'must begin with https://')
  if (username !== '' || password !== '') refuse(param, 'must not carry credentials')
  if (search !== '' || hash !== '') refuse(param, 'must have neither query nor fragment')
  if (!isHere && !isPublicHost(host, rules)) refuse(param, 'must be a public address')
  return href.replace(/\/+$/, '')
}

/** The parser of addresses has read every spelling of IPv4 (`127.1`, `0x7f000001`, `2130706433`) into one. */
function isPublicHost(host: string, rules: AddressRules): boolean {
  return ipaddr.isValid(host) ? isOpenAddress(host, rules) : host.includes('.') && !inwardNames.test(host)
}

/**
 * A text of the configuration; undefined where there is none. Throws `validation_failed` where it is no text, is
 * empty, does not have its shape, or cannot stand in a header.
 */
export function readText(
  value: Json | undefined,
  name: string,
  rule: { shape?: RegExp; isHeader?: boolean; maxLength?: number } = {},
): string | undefined {
  if (value === undefined || value === null) return undefined
  const param = `configJson.${name}`
  if (typeof value !== 'string') return refuse(param, 'must be text')
  if (value === '') refuse(param, 'must not be empty')
  if (value.length > (rule.maxLength ?? Number.POSITIVE_INFINITY))
    refuse(param, `must have at most ${rule.maxLength} characters`)
  if (rule.isHeader) checkHeaderText(value, param)
  if (rule.shape && !rule.shape.test(value)) refuse(param, 'does not have the form of one')
  return value
}

/** Cloud regions become part of a host's name. */
export const regionShape = /^[a-z][a-z0-9-]{0,39}$/
