import type { ResetInterval } from '../../schema/entities/key-budgets.ts'

/** The spans that usage is added up over: the current UTC day, week or month, or all that the log keeps. */
export const periods = ['day', 'week', 'month', 'retained'] as const
export type Period = (typeof periods)[number]

/** How a spend cap that begins anew with each such period is set: Postgres knows the start of both by one rule. */
export const intervalOf: Readonly<Record<Period, ResetInterval>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  retained: 'none',
}
