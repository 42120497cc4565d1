/** The values of a day: one for each group, and then what is left of the day's total. */
export interface Stack {
  day: string
  values: number[]
}

/**
 * Stacks the values of groups by day. Days without usage are zero. `hasRest` is whether the groups leave anything of the
 * totals; differences of rounding do not count.
 */
export function stacksOf<Day extends { day: string | null }>({
  days,
  totals,
  parts,
  measureOf,
}: {
  days: readonly string[]
  totals: readonly Day[]
  parts: readonly (readonly Day[])[]
  measureOf(day: Day): number
}): { stacks: Stack[]; hasRest: boolean } {
  const byDay = (some: readonly Day[]) => new Map(some.map(day => [day.day, measureOf(day)]))
  const [all, each] = [byDay(totals), parts.map(byDay)]
  const stacks = days.map(day => {
    const values = each.map(part => part.get(day) ?? 0)
    const total = all.get(day) ?? 0
    const rest = total - values.reduce((sum, value) => sum + value, 0)
    return { day, values: [...values, rest > total * 1e-9 ? rest : 0] }
  })
  return { stacks, hasRest: stacks.some(({ values }) => (values.at(-1) ?? 0) > 0) }
}
