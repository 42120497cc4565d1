import { carryRequests } from '../../domain/logs/carry-requests.ts'
import { keepPartitions } from '../../domain/logs/keep-partitions.ts'
import type { LogDatabases } from '../../domain/logs/log-database.ts'
import { forgetUsage } from '../../domain/usage/forget-usage.ts'
import type { Chore } from '../../platform/chores/chore.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import type { WorkerServices } from '../jobs/worker-services.ts'
import { countedChore, hours, seconds } from './counted-chore.ts'

/** Returns the chores of the log database, if there is one. */
export function carryingChores({ context: { logs } }: WorkerServices): Chore<WorkerServices>[] {
  if (!logs) return []
  return [
    carry(logs),
    {
      name: 'keep-partitions-of-log-database',
      everyMs: hours,
      async run({ context: { clock, log } }) {
        const dropped = await keepPartitions({ sql: logs, clock })
        if (dropped.length > 0) log.info({ dropped }, 'old partitions of the log database were dropped')
      },
    },
    countedChore({
      name: 'forget-usage-of-log-database',
      everyMs: 6 * hours,
      count: ({ context: { clock } }) => forgetUsage({ sql: logs, clock }),
      message: 'old usage counters of the log database were deleted',
      level: 'info',
    }),
  ]
}

/** Carries requests. Logs one line when that begins to fail, and one when it works again. */
function carry(logs: LogDatabases['logs']): Chore<WorkerServices> {
  let hasFailed = false
  return {
    name: 'carry-requests',
    everyMs: seconds,
    async run({ context: { sql, clock, log } }) {
      try {
        const carried = await carryRequests({ sql, logs, clock })
        if (hasFailed) log.info({ carried }, 'requests are carried to the log database again')
        hasFailed = false
      } catch (error) {
        if (!hasFailed)
          log.error(
            { error: explainFault(error) },
            'requests cannot be carried to the log database; they wait in the main database',
          )
        hasFailed = true
      }
    },
  }
}
