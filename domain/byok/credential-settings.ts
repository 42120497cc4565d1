import { isText } from '../../platform/is-text.ts'
import { type AddressRules, checkAddress, refuse } from './check-values.ts'

/** What a person may set on a credential, as it came. What is left out keeps its value. */
export interface CredentialSettings {
  label?: string | undefined
  /** Null takes it away; `***` keeps it. */
  apiKey?: string | null | undefined
  /** Null is the vendor's own address. */
  baseUrl?: string | null | undefined
  /** Replaces the whole configuration; each `***` in it keeps the secret that was there. */
  config?: unknown
  alwaysUse?: boolean | undefined
  disabled?: boolean | undefined
  priority?: number | undefined
}

const maxLabelLength = 100
const maxKeyLength = 8192
const maxPriority = 1000

/** Checks label, API key and base URL by themselves (contract: BYOK, POST body). Throws `validation_failed`. */
export function checkSettings(
  { label, apiKey, baseUrl }: Pick<CredentialSettings, 'label' | 'apiKey' | 'baseUrl'>,
  rules: AddressRules,
): void {
  if (label !== undefined) checkLabel(label)
  if (typeof apiKey === 'string') checkHeaderText(apiKey, 'apiKey')
  if (typeof baseUrl === 'string') checkAddress(baseUrl, { param: 'baseUrl', rules })
}

function checkLabel(label: string): void {
  if (label.trim() === '') refuse('label', 'must not be empty')
  if ([...label].length > maxLabelLength) refuse('label', `must have at most ${maxLabelLength} characters`)
  if (!isText(label)) refuse('label', 'must be text')
}

/** What goes into a header as it is: a line break in it would be a header of its own. */
export function checkHeaderText(text: string, param: string): void {
  if (text === '') refuse(param, 'must not be empty')
  if (text.length > maxKeyLength) refuse(param, `must have at most ${maxKeyLength} characters`)
  if (!/^[\x21-\x7e]+$/.test(text)) refuse(param, 'must be visible ASCII characters without spaces')
}

/** A priority within its range (contract: clamped to [-1000, 1000]). */
export function clampPriority(priority: number): number {
  return Math.min(maxPriority, Math.max(-maxPriority, priority))
}
