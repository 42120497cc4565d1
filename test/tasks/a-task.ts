import type { Context } from '../../domain/context.ts'
import { type NewTask, taskIdOf } from '../../domain/tasks/submit-task.ts'
import type { TestKey } from '../harness/an-account.ts'

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
