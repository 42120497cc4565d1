import { objectionToUrl } from '../../platform/http/public-url.ts'
import type { Json } from '../../schema/json.ts'
import { refuseParam } from '../../schema/refuse-param.ts'

/** The rules for addresses that customers may have called. */
export interface AddressRules {
  allowLoopback: boolean
}

/** Maximum lengths of an address and of a secret that is sent in a header, in characters. */
export const maxAddressLength = 2048
export const maxSecretLength = 8192

/** Visible ASCII characters. */
export const headerText = /^[\x21-\x7e]+$/

/**
 * Checks an address that an account wants called. It must use HTTPS, without credentials, query or fragment. If its
 * host is an IP address in any notation, it must be public. The addresses that a name resolves to are checked when it
 * is called. `allowLoopback` also allows addresses of this machine, including plain HTTP. Returns the address in its
 * canonical form. Throws `validation_failed`.
 */
export function checkAddress(text: string, { param, rules }: { param: string; rules: AddressRules }): string {
  if (text.length > maxAddressLength) refuseParam(param, `must have at most ${maxAddressLength} characters`)
  if (!URL.canParse(text)) refuseParam(param, 'must be an absolute address')
  const url = new URL(text)
  const objection = objectionToUrl(url, rules)
  if (objection) refuseParam(param, `must ${objection}`)
  if (url.search !== '' || url.hash !== '') refuseParam(param, 'must have neither query nor fragment')
  return url.href.replace(/\/+$/, '')
}

/**
 * Checks a text that is sent in a header. It must not contain a line break, which would begin another header. Throws
 * `validation_failed`.
 */
export function checkHeaderText(text: string, param: string): void {
  if (text === '') refuseParam(param, 'must not be empty')
  if (text.length > maxSecretLength) refuseParam(param, `must have at most ${maxSecretLength} characters`)
  if (!headerText.test(text)) refuseParam(param, 'must be visible ASCII characters without spaces')
}

/**
 * Reads a text field of a configuration. Returns undefined if it is missing or null. Throws `validation_failed` if it
 * is not a text, is empty, does not match `shape`, or cannot be sent in a header.
 */
export function readText(
  value: Json | undefined,
  name: string,
  rule: { shape?: RegExp; isHeader?: boolean; maxLength?: number } = {},
): string | undefined {
  if (value === undefined || value === null) return undefined
  const param = `configJson.${name}`
  if (typeof value !== 'string') return refuseParam(param, 'must be text')
  if (value === '') refuseParam(param, 'must not be empty')
  if (value.length > (rule.maxLength ?? Number.POSITIVE_INFINITY))
    refuseParam(param, `must have at most ${rule.maxLength} characters`)
  if (rule.isHeader) checkHeaderText(value, param)
  if (rule.shape && !rule.shape.test(value)) refuseParam(param, 'does not have the form of one')
  return value
}

/** The form of a cloud region, which becomes part of a host name. */
export const regionShape = /^[a-z][a-z0-9-]{0,39}$/
