import { forgetRefreshTokens } from '../../domain/accounts/sessions.ts'
import { forgetActions } from '../../domain/audit/forget-actions.ts'
import { forgetEvents } from '../../domain/billing/forget-events.ts'
import { freeLostTries, wakeReceivers } from '../../domain/callbacks/claim-deliveries.ts'
import { forgetDeliveries } from '../../domain/callbacks/forget-deliveries.ts'
import { forgetOldKeys } from '../../domain/idempotency/end-claim.ts'
import { lapseHolds } from '../../domain/ledger/process-row.ts'
import { keepPartitions } from '../../domain/logs/keep-partitions.ts'
import { keepBucketRules, removeMedia } from '../../domain/media/remove-media.ts'
import { forgetTasks } from '../../domain/tasks/forget-tasks.ts'
import { recoverTasks } from '../../domain/tasks/recover-tasks.ts'
import { forgetUsage } from '../../domain/usage/forget-usage.ts'
import { forgetFailedJobs } from '../../platform/jobs/forget-failed-jobs.ts'
import type { RepeatingJob, WorkerServices } from './worker-services.ts'

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Work of which all that is told is how much was done, where anything was. */
interface CountedWork {
  name: string
  everyMs: number
  /** Resolves to how many. */
  count(services: WorkerServices): Promise<number>
  /** What stands in the log beside the count. */
  said: string
  /** It makes up for something that went wrong. */
  isRepair?: boolean
}

/** Every job that repeats, by one worker at a time. */
export const repeatingJobs: readonly RepeatingJob[] = [
  counted({
    name: 'lapse-dead-holds',
    everyMs: 2 * seconds,
    count: ({ context }) => lapseHolds(context),
    said: 'holds of a dead process were given back',
    isRepair: true,
  }),
  counted({
    // Their job was lost, or waits long after a fault of ours.
    name: 'recover-tasks',
    everyMs: 5 * seconds,
    count: ({ context }) => recoverTasks(context),
    said: 'late tasks are advanced',
    isRepair: true,
  }),
  {
    // Creates the partitions of the days ahead, and drops those older than two months.
    name: 'keep-log-partitions',
    everyMs: hours,
    async run({ context }) {
      const dropped = await keepPartitions(context)
      if (dropped.length > 0) context.log.info({ dropped }, 'old log partitions were dropped')
    },
  },
  counted({
    name: 'forget-usage',
    everyMs: 6 * hours,
    count: ({ context }) => forgetUsage(context),
    said: 'old usage counters were forgotten',
  }),
  counted({
    name: 'forget-idempotency-keys',
    everyMs: 10 * minutes,
    count: ({ context }) => forgetOldKeys(context),
    said: 'old idempotency keys were forgotten',
  }),
  counted({
    name: 'forget-refresh-tokens',
    everyMs: hours,
    count: ({ context }) => forgetRefreshTokens(context),
    said: 'ended refresh tokens were forgotten',
  }),
  counted({
    name: 'forget-actions',
    everyMs: hours,
    count: ({ context }) => forgetActions(context),
    said: 'old actions of the audit log were forgotten',
  }),
  counted({
    name: 'forget-payment-events',
    everyMs: hours,
    count: ({ context }) => forgetEvents(context),
    said: 'old payment events were forgotten',
  }),
  counted({
    name: 'forget-failed-jobs',
    everyMs: hours,
    count: ({ context }) => forgetFailedJobs(context.sql),
    said: 'failed jobs were forgotten',
  }),
  counted({
    name: 'free-lost-tries',
    everyMs: 2 * seconds,
    count: ({ context }) => freeLostTries(context),
    said: 'callbacks of a dead worker are sent again',
    isRepair: true,
  }),
  counted({
    // Their jobs were lost.
    name: 'wake-receivers',
    everyMs: minutes,
    count: ({ context }) => wakeReceivers(context),
    said: 'receivers whose callbacks were overdue were woken',
    isRepair: true,
  }),
  counted({
    name: 'forget-deliveries',
    everyMs: hours,
    count: ({ context }) => forgetDeliveries(context),
    said: 'old deliveries were forgotten',
  }),
  counted({
    name: 'forget-tasks',
    everyMs: hours,
    count: ({ context }) => forgetTasks(context),
    said: 'old tasks were forgotten',
  }),
  {
    name: 'remove-media',
    everyMs: 10 * minutes,
    async run({ context, media }) {
      const count = await removeMedia(media)
      if (count > 0) context.log.info({ count }, 'expired media was removed')
      await keepBucketRules(media) // a bucket removes what expired by itself as well
    },
  },
]

function counted({ name, everyMs, count, said, isRepair = false }: CountedWork): RepeatingJob {
  return {
    name,
    everyMs,
    async run(services) {
      const done = await count(services)
      const { log } = services.context
      if (done > 0) log[isRepair ? 'warn' : 'info']({ count: done }, said)
    },
  }
}
