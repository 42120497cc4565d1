import { findDueTopUps } from '../../domain/automatic-top-ups/top-up-automatically.ts'
import { receiveMissedEvents } from '../../domain/billing/receive-missed-events.ts'
import { freeLostTries, wakeReceivers } from '../../domain/callbacks/claim-deliveries.ts'
import { lapseHolds } from '../../domain/ledger/process-row.ts'
import { recoverTasks } from '../../domain/tasks/recover-tasks.ts'
import type { Chore } from '../../platform/chores/chore.ts'
import type { WorkerServices } from '../jobs/worker-services.ts'
import { countedChore, minutes, seconds } from './counted-chore.ts'

/** Repairs after dead processes and lost jobs. None of them depends on a job. */
export const repairs: readonly Chore<WorkerServices>[] = [
  countedChore({
    name: 'lapse-dead-holds',
    everyMs: 2 * seconds,
    count: ({ context }) => lapseHolds(context),
    message: 'holds of a dead process lapsed',
    level: 'warn',
  }),
  countedChore({
    name: 'recover-tasks',
    everyMs: 5 * seconds,
    count: ({ context }) => recoverTasks(context),
    message: 'late tasks are advanced',
    level: 'warn',
  }),
  countedChore({
    name: 'free-lost-tries',
    everyMs: 2 * seconds,
    count: ({ context }) => freeLostTries(context),
    message: 'callbacks of a dead worker are sent again',
    level: 'warn',
  }),
  countedChore({
    name: 'wake-receivers',
    everyMs: 10 * seconds,
    count: ({ context }) => wakeReceivers(context),
    message: 'receivers with overdue callbacks are called',
    level: 'warn',
  }),
  countedChore({
    name: 'find-due-top-ups',
    everyMs: 20 * seconds,
    count: ({ context }) => findDueTopUps(context),
    message: 'automatic top-ups are due or continued',
    level: 'info',
  }),
  countedChore({
    name: 'receive-missed-events',
    everyMs: 5 * minutes,
    count: ({ context, payments }) => receiveMissedEvents({ ...context, payments }),
    message: 'missed events of Stripe were applied',
    level: 'warn',
  }),
]
