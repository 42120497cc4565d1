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
  message: 'The task took longer than its model may. Nothing was charged.',
} as const

export const keyRevoked = {
  status: 'failed',
  code: 'key_revoked',
  message: 'The API key was revoked before the task was sent to its vendor. Nothing was charged.',
} as const

export const interrupted = {
  status: 'failed',
  code: 'interrupted',
  message:
    'The connection to the vendor was lost while the task was sent to it. Nothing was charged; submit it again.',
} as const

export const modelGone = {
  status: 'failed',
  code: 'model_not_found',
  message: 'The model is not there any more. Nothing was charged.',
} as const

export const credentialGone = {
  status: 'failed',
  code: 'credential_not_found',
  message: 'Your own credential that submitted the task was deleted, and no other can ask for it.',
} as const

export const resultLost = {
  status: 'failed',
  code: 'result_lost',
  message: 'What the vendor made could not be stored. Nothing was charged.',
} as const

export const resultUnusable = {
  status: 'failed',
  code: 'result_unusable',
  message: 'What the vendor made is larger than what is stored, or no media file. Nothing was charged.',
} as const
