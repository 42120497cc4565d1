import { isUuid } from '../../platform/checks.ts'
import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'
import type { BudgetSubject } from '../ledger/hold.ts'
import { isLonger } from '../logs/request-metadata.ts'

/** Maximum lengths in characters, equal to the limits of `metadata`, and of an end user in the log. */
export const maxTagKeyLength = 64
export const maxSubjectLength = 512

/** Maximum limit of a budget. */
export const maxBudgetNanos = 1_000_000_000n * NANOS_PER_DOLLAR

/** What happens at the limit of a budget: requests are refused, or the account is only notified. */
export type BudgetAction = 'refuse' | 'warn'

/** The subject of a new budget as a caller states it: exactly one of these. */
export interface GivenSubject {
  account?: boolean | null | undefined
  memberId?: string | null | undefined
  apiKeyId?: string | null | undefined
  tag?: { key: string; value: string } | null | undefined
  endUser?: string | null | undefined
}

/**
 * Checks the settings of a new budget and returns its subject. Throws `validation_failed`, which names every invalid
 * parameter. The caller checks that the member or key exists.
 */
export function checkNewBudget(given: GivenSubject, limitNanos: bigint): BudgetSubject {
  const { account, memberId, apiKeyId, tag, endUser } = given
  const subjects: BudgetSubject[] = []
  if (account) subjects.push({ kind: 'account', key: '', value: '' })
  if (isGiven(memberId)) subjects.push({ kind: 'member', key: '', value: memberId.toLowerCase() })
  if (isGiven(apiKeyId)) subjects.push({ kind: 'api_key', key: '', value: apiKeyId.toLowerCase() })
  if (isGiven(tag)) subjects.push({ kind: 'tag', ...tag })
  if (isGiven(endUser)) subjects.push({ kind: 'end_user', key: '', value: endUser })
  checkAll(
    () => tag && checkText('tag.key', tag.key, { min: 1, max: maxTagKeyLength }),
    () => tag && checkText('tag.value', tag.value, { min: 0, max: maxSubjectLength }),
    () => isGiven(endUser) && checkText('endUser', endUser, { min: 1, max: maxSubjectLength }),
    () => isGiven(memberId) && !isUuid(memberId) && refuseParam('memberId', 'must be the ID of a member'),
    () => isGiven(apiKeyId) && !isUuid(apiKeyId) && refuseParam('apiKeyId', 'must be the ID of an API key'),
    () => onlyOneOf(subjects),
    () => checkLimit(limitNanos),
  )
  return onlyOneOf(subjects)
}

function onlyOneOf([subject, second]: BudgetSubject[]): BudgetSubject {
  if (subject && !second) return subject
  return refuseParam('tag', 'must be given, or one of account, memberId, apiKeyId and endUser, but only one')
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}

/** Checks the limit of a budget. Throws `validation_failed`. */
export function checkLimit(limitNanos: bigint): void {
  if (limitNanos < 0n) refuseParam('limit', 'must not be negative')
  if (limitNanos > maxBudgetNanos) refuseParam('limit', 'must be at most 1000000000 dollars')
}

function checkText(param: string, text: string, { min, max }: { min: number; max: number }): void {
  if (text.length < min) refuseParam(param, 'must not be empty')
  if (isLonger(text, max)) refuseParam(param, `must have at most ${max} characters`)
  // Requests lose these characters before they are compared.
  if (text.includes('\0') || !text.isWellFormed())
    refuseParam(param, 'must be valid Unicode text without NUL')
}
