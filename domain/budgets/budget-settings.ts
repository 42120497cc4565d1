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

/** The subject of a new budget as a caller states it: a tag or an end user. */
export interface GivenSubject {
  tag?: { key: string; value: string } | null | undefined
  endUser?: string | null | undefined
}

/** Checks the settings of a new budget. Throws `validation_failed`, which names every invalid parameter. */
export function checkNewBudget({ tag, endUser }: GivenSubject, limitNanos: bigint): void {
  checkAll(
    () => tag && checkText('tag.key', tag.key, { min: 1, max: maxTagKeyLength }),
    () => tag && checkText('tag.value', tag.value, { min: 0, max: maxSubjectLength }),
    () => typeof endUser === 'string' && checkText('endUser', endUser, { min: 1, max: maxSubjectLength }),
    () =>
      !tag === (typeof endUser !== 'string') && refuseParam('tag', 'or an end user must be given, not both'),
    () => checkLimit(limitNanos),
  )
}

/** Returns the subject that a caller states. */
export function subjectOf({ tag, endUser }: GivenSubject): BudgetSubject {
  return tag ? { kind: 'tag', ...tag } : { kind: 'end_user', key: '', value: endUser ?? '' }
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
