import type { Context } from '../../domain/context.ts'
import type { TaskEnd } from '../../domain/tasks/finish-task.ts'
import { type NewTask, taskIdOf } from '../../domain/tasks/submit-task.ts'
import type { TestKey } from '../harness/an-account.ts'

const expiresAt = '2026-12-06T00:00:00Z'
export const success: TaskEnd = {
  status: 'success',
  results: [{ url: 'https://media.example/a.mp4', contentType: 'video/mp4', bytes: 7, expiresAt }],
}
export const failure: TaskEnd = { status: 'failed', code: 'generation_failed', message: 'It rained.' }

/** A task as the route of videos submits it: five seconds at ten cents. */
export function aNewTask(
  { ids, clock }: Context,
  { accountId, keyId }: Pick<TestKey, 'accountId' | 'keyId'>,
  options: Partial<NewTask> & { priceNanos?: bigint } = {},
): NewTask {
  const { priceNanos = 500_000_000n, ...rest } = options
  const requestId = ids.tagged('req_')
  return {
    accountId,
    id: taskIdOf(requestId),
    requestId,
    apiKeyId: keyId,
    kind: 'video',
    model: 'vendor_i/reel',
    vendor: 'vendor_i',
    parameters: { prompt: 'A paper boat', duration: 5 },
    price: { amountNanos: priceNanos, terms: [] },
    budgets: undefined,
    ownOnly: false,
    callbackUrl: undefined,
    metadata: null,
    clientAddress: null,
    createdAt: clock.now(),
    timeLimitMs: 60_000,
    ...rest,
  }
}
