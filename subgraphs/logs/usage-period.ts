import { registerEnumType } from 'type-graphql'
import type { Period } from '../../domain/logs/usage-per-key.ts'

export const UsagePeriod = {
  day: 'day',
  week: 'week',
  month: 'month',
  retained: 'retained',
} as const satisfies { [Name in Period]: Name }

registerEnumType(UsagePeriod, {
  name: 'UsagePeriod',
  description: 'What usage is added up over. Days, weeks and months are those of UTC.',
  valuesConfig: {
    day: { description: 'Today.' },
    week: { description: 'This week, from Monday.' },
    month: { description: 'This calendar month.' },
    retained: { description: 'All that the log still holds: two months.' },
  },
})
