import { dayMs } from '../../platform/clock.ts'
import type { TaskRun } from './task-run.ts'

/** Whether the model's time limit is over. */
export function isOver({ task }: TaskRun): boolean {
  return task.overdueMs > 0
}

/** Maximum time after the limit for which storing the files is tried again. */
const storingMs = dayMs

/** Whether the files could not be stored for a day. */
export function isLost({ task }: TaskRun): boolean {
  return task.overdueMs > storingMs
}

export const timedOut = {
  status: 'failed',
  code: 'timed_out',
  message: "The task exceeded the model's time limit. Nothing was charged.",
} as const

/** The ends of tasks that must no longer be sent to their vendor. */
export const withdrawn = {
  key_revoked: {
    status: 'failed',
    code: 'key_revoked',
    message: 'The API key was revoked before the task was sent to its vendor. Nothing was charged.',
  },
  account_closed: {
    status: 'failed',
    code: 'account_closed',
    message: 'The account was closed before the task was sent to its vendor. Nothing was charged.',
  },
} as const

export const interrupted = {
  status: 'failed',
  code: 'interrupted',
  message:
    'The connection to the vendor was lost during the submit. Nothing was charged. Submit the task again.',
} as const

export const modelRemoved = {
  status: 'failed',
  code: 'model_not_found',
  message: 'The model was removed. Nothing was charged.',
} as const

export const credentialDeleted = {
  status: 'failed',
  code: 'credential_not_found',
  message: 'The own credential that submitted the task was deleted. No other credential can read its result.',
} as const

export const resultLost = {
  status: 'failed',
  code: 'result_lost',
  message: "The vendor's files could not be stored. Nothing was charged.",
} as const

export const resultUnusable = {
  status: 'failed',
  code: 'result_unusable',
  message: "The vendor's file is larger than the limit, or not a media file. Nothing was charged.",
} as const
