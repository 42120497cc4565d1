import { forgetLinks } from '../../domain/accounts/mailed-links.ts'
import { forgetRefreshTokens } from '../../domain/accounts/sessions.ts'
import { forgetActions } from '../../domain/audit/forget-actions.ts'
import { forgetEvents } from '../../domain/billing/forget-events.ts'
import { forgetDeliveries } from '../../domain/callbacks/forget-deliveries.ts'
import { eraseAccounts } from '../../domain/closures/erase-accounts.ts'
import { forgetOldKeys } from '../../domain/idempotency/end-claim.ts'
import { keepPartitions } from '../../domain/logs/keep-partitions.ts'
import { keepBucketRules, removeMedia } from '../../domain/media/remove-media.ts'
import { forgetInvitations } from '../../domain/members/invitation-records.ts'
import { forgetChallenges } from '../../domain/second-factors/challenges.ts'
import { forgetSignIns } from '../../domain/single-sign-on/forget-sign-ins.ts'
import { forgetTasks } from '../../domain/tasks/forget-tasks.ts'
import { forgetUsage } from '../../domain/usage/forget-usage.ts'
import type { Chore } from '../../platform/chores/chore.ts'
import { forgetFailedJobs } from '../../platform/jobs/forget-failed-jobs.ts'
import type { WorkerServices } from '../jobs/worker-services.ts'
import { countedChore, hours, minutes } from './counted-chore.ts'

/** Chores that create partitions and delete old rows. A run may take minutes. */
export const retention: readonly Chore<WorkerServices>[] = [
  {
    name: 'keep-log-partitions',
    everyMs: hours,
    async run({ context }) {
      const dropped = await keepPartitions(context)
      if (dropped.length > 0) context.log.info({ dropped }, 'old log partitions were dropped')
    },
  },
  countedChore({
    name: 'forget-usage',
    everyMs: 6 * hours,
    count: ({ context }) => forgetUsage(context),
    message: 'old usage counters were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-idempotency-keys',
    everyMs: 10 * minutes,
    count: ({ context }) => forgetOldKeys(context),
    message: 'old idempotency keys were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-refresh-tokens',
    everyMs: hours,
    count: ({ context }) => forgetRefreshTokens(context),
    message: 'expired refresh tokens were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-mailed-links',
    everyMs: hours,
    count: ({ context }) => forgetLinks(context),
    message: 'expired links of e-mails were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-sign-in-challenges',
    everyMs: 10 * minutes,
    count: ({ context }) => forgetChallenges(context),
    message: 'expired challenges of log-ins were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-invitations',
    everyMs: hours,
    count: ({ context }) => forgetInvitations(context),
    message: 'expired invitations were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-sign-ins',
    everyMs: 10 * minutes,
    count: ({ context }) => forgetSignIns(context),
    message: 'expired sign-ins were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-actions',
    everyMs: hours,
    count: ({ context }) => forgetActions(context),
    message: 'old audit log entries were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'erase-accounts',
    everyMs: minutes,
    count: ({ context }) => eraseAccounts(context),
    message: 'the data of closed accounts were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-payment-events',
    everyMs: hours,
    count: ({ context }) => forgetEvents(context),
    message: 'old payment events were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-failed-jobs',
    everyMs: hours,
    count: ({ context }) => forgetFailedJobs(context),
    message: 'failed jobs were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-deliveries',
    everyMs: hours,
    count: ({ context }) => forgetDeliveries(context),
    message: 'old deliveries were deleted',
    level: 'info',
  }),
  countedChore({
    name: 'forget-tasks',
    everyMs: hours,
    count: ({ context }) => forgetTasks(context),
    message: 'old tasks were deleted',
    level: 'info',
  }),
  {
    name: 'remove-media',
    everyMs: 10 * minutes,
    async run({ context, media }) {
      const count = await removeMedia(media)
      if (count > 0) context.log.info({ count }, 'expired media was removed')
      await keepBucketRules(media) // a bucket removes expired media by itself as well
    },
  },
]
