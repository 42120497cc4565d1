import { isText } from '../../platform/checks.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'
import { type AddressRules, checkAddress, checkHeaderText } from './check-values.ts'

/** The settings of a credential, as a client sent them. An omitted setting keeps its value. */
export interface CredentialSettings {
  label?: string | undefined
  /** The vendor's API key. Null removes it; `***` keeps it. */
  apiKey?: string | null | undefined
  /** The base URL. Null means the vendor's default URL. */
  baseUrl?: string | null | undefined
  /**
   * The new configuration, which replaces the old one as a whole. Each `***` in it keeps the secret at the same path.
   */
  config?: unknown
  alwaysUse?: boolean | undefined
  disabled?: boolean | undefined
  priority?: number | undefined
}

/** Maximum length of a label, in characters. */
export const maxLabelLength = 100
const maxPriority = 1000

/** Checks label, API key and base URL. Throws `validation_failed`, which names every invalid one. */
export function checkSettings(
  { label, apiKey, baseUrl }: Pick<CredentialSettings, 'label' | 'apiKey' | 'baseUrl'>,
  rules: AddressRules,
): void {
  checkAll(
    () => label !== undefined && checkLabel(label),
    () => typeof apiKey === 'string' && checkHeaderText(apiKey, 'apiKey'),
    () => typeof baseUrl === 'string' && checkAddress(baseUrl, { param: 'baseUrl', rules }),
  )
}

function checkLabel(label: string): void {
  if (label.trim() === '') refuseParam('label', 'must not be empty')
  if ([...label].length > maxLabelLength)
    refuseParam('label', `must have at most ${maxLabelLength} characters`)
  if (!isText(label)) refuseParam('label', 'must be text')
}

/** Limits a priority to -1000 to 1000. */
export function clampPriority(priority: number): number {
  return Math.min(maxPriority, Math.max(-maxPriority, priority))
}
