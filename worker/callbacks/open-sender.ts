import { setTimeout as sleep } from 'node:timers/promises'
import type { Standing } from '../../domain/allowances/allowances.ts'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { claimDeliveries, type Receiver } from '../../domain/callbacks/claim-deliveries.ts'
import { type PostCallback, sendDelivery } from '../../domain/callbacks/send-delivery.ts'
import type { Context } from '../../domain/context.ts'
import { addJob } from '../../platform/jobs/add-job.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { Problem } from '../../schema/errors.ts'

/** Sends callbacks beside the jobs: a receiver that is slow to answer occupies none of the worker's jobs. */
export interface CallbackSender {
  /** Begins the deliveries that are due at a receiver, as far as capacity allows. Resolves when they have begun. */
  sendDue(receiver: Receiver): Promise<void>
  /** Waits for deliveries in progress for at most `graceMs`. The rest count as lost and are sent again. */
  close(graceMs: number): Promise<void>
}

/**
 * Maximum number of tries at one receiver of an account at the same time, over all processes. Not an allowance: it protects
 * the receiver. The allowance `callbacks` bounds the account.
 */
const maxPerReceiver = 8

/** Maximum number of tries in this process. Once it is half full, each receiver gets one try at a time. */
const maxTries = 1_000

/** Delay before a receiver is tried again if this process has no capacity, in milliseconds; jittered up to twice this. */
const noCapacityMs = 500

/** Opens the sender of a process. `post` makes the requests; `worker` returns the owner of tries (`Liveness.id`). */
export function openCallbackSender(
  context: Context,
  { post, worker }: { post: PostCallback; worker(): Promise<string> },
): CallbackSender {
  const inFlight = new Set<Promise<void>>()
  const slots = new Occupancy(context.allowances, { resource: 'callbacks', capacity: maxTries })

  /** Occupies slots for the tries of one receiver. Returns their number; 0 if the account or the process has none. */
  function occupy(standing: Standing): number {
    for (const count of inFlight.size >= maxTries / 2 ? [1] : [maxPerReceiver, 1]) {
      try {
        slots.occupy(standing, count)
        return count
      } catch (error) {
        if (!(error instanceof Problem)) throw error
      }
    }
    return 0
  }

  return {
    async sendDue(receiver) {
      const standing = await standingOf(context.allowances, receiver.accountId)
      const sender = await worker()
      const max = occupy(standing)
      if (max === 0) return reopenReceiver(context, receiver)
      const claimed = await claimDeliveries(context, { ...receiver, max, sender }).catch(error => {
        slots.release(standing, max)
        throw error
      })
      slots.release(standing, max - claimed.length)
      for (const begun of claimed) {
        const sending = sendDelivery(context, begun, { post, max })
          .catch(error => {
            const { id: delivery } = begun
            context.log.error({ delivery, error: explainFault(error) }, 'a callback was not recorded')
          })
          .finally(() => {
            inFlight.delete(sending)
            slots.release(standing, 1)
          })
        inFlight.add(sending)
      }
    },
    async close(graceMs) {
      const waiting = new AbortController()
      const grace = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => {})
      await Promise.race([Promise.all(inFlight), grace])
      waiting.abort()
    },
  }
}

async function reopenReceiver({ sql }: Context, receiver: Receiver): Promise<void> {
  await addJob(sql, {
    name: 'send-callback',
    payload: receiver,
    key: `callbacks full ${receiver.accountId} ${receiver.receiver}`,
    afterMs: Math.round(noCapacityMs * (1 + Math.random())),
  })
}
