/** The spans that usage is added up over: the current UTC day, week or month, or all that the log keeps. */
export const periods = ['day', 'week', 'month', 'retained'] as const
export type Period = (typeof periods)[number]

const dayMs = 86_400_000

/** When the period that `nowMs` lies in began, in UTC, weeks on Monday; undefined where it has no beginning. */
export function periodStart(period: Period, nowMs: number): Date | undefined {
  const now = new Date(nowMs)
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
  switch (period) {
    case 'day':
      return new Date(today)
    case 'week':
      return new Date(today - ((now.getUTCDay() + 6) % 7) * dayMs)
    case 'month':
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
    case 'retained':
      return undefined
  }
}
