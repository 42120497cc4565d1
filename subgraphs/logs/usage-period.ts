import { registerEnumType } from 'type-graphql'
import type { Period } from '../../domain/logs/period-start.ts'

/** The periods by their names in the graph. */
export const UsagePeriod = {
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  RETAINED: 'retained',
} as const satisfies Record<string, Period>

registerEnumType(UsagePeriod, {
  name: 'UsagePeriod',
  description: 'What usage is added up over. Days, weeks and months are those of UTC.',
  valuesConfig: {
    DAY: { description: 'Today.' },
    WEEK: { description: 'This week, from Monday.' },
    MONTH: { description: 'This calendar month.' },
    RETAINED: { description: 'All that the log still holds: two months.' },
  },
})
