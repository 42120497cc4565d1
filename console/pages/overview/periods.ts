const dayMs = 86_400_000

/** The days that the overview covers, in UTC. */
export interface Periods {
  today: string
  monthStart: string
  lastMonthStart: string
  /** The days of the chart, oldest first. */
  chart: readonly string[]
}

const chartDays = 30

export function periodsAt(nowMs: number): Periods {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return {
    today: dayOf(nowMs),
    monthStart: dayOf(Date.UTC(year, month, 1)),
    lastMonthStart: dayOf(Date.UTC(year, month - 1, 1)),
    chart: Array.from({ length: chartDays }, (_, index) => dayOf(nowMs - (chartDays - 1 - index) * dayMs)),
  }
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
