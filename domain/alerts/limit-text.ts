import type { ResetInterval } from '../../schema/entities/keys.ts'

/** The end of a sentence about an amount per reset interval. */
export const perPeriod: Readonly<Record<ResetInterval, string>> = {
  none: '',
  daily: ' a day',
  weekly: ' a week',
  monthly: ' a month',
}

const starts: Readonly<Record<Exclude<ResetInterval, 'none'>, string>> = {
  daily: 'the next day begins (UTC)',
  weekly: 'the next week begins (Monday, UTC)',
  monthly: 'the next month begins (UTC)',
}

/** Returns the end of a sentence: until when requests are refused, if their cap or budget (`limit`) is used up. */
export function untilReset(resetInterval: ResetInterval, limit: 'cap' | 'limit'): string {
  const raised = `its ${limit} is raised`
  return resetInterval === 'none' ? ` until ${raised}` : ` until ${starts[resetInterval]}, or ${raised}`
}
