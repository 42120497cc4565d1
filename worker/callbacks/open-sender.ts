import { setTimeout as sleep } from 'node:timers/promises'
import { claimDeliveries, type Receiver } from '../../domain/callbacks/claim-deliveries.ts'
import { type PostCallback, sendDelivery } from '../../domain/callbacks/send-delivery.ts'
import type { Context } from '../../domain/context.ts'
import { addJob } from '../../platform/jobs/add-job.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'

/** Sends callbacks beside the jobs: a receiver that is slow to answer occupies none of the worker's jobs. */
export interface CallbackSender {
  /** Begins what is due at a receiver, as far as there is room, and resolves when it has begun. */
  sendDue(receiver: Receiver): Promise<void>
  /** Waits for what is under way, at most `graceMs`. What is left counts as lost, and is sent again. */
  close(graceMs: number): Promise<void>
}

/**
 * Tries at once: at one receiver of an account over all processes, of one account in this process, and in this process
 * in all. A process that is half full lets each receiver have one: whoever does not answer cannot keep out the others.
 */
const atOnce = { perReceiver: 8, perAccount: 32, inAll: 1_000 }

/** A receiver for which there is no room is looked at again after so long, and up to twice that, in milliseconds. */
const noRoomMs = 500

/** Opens the sender of a process. `post` makes the requests; `worker` returns the owner of tries (`Liveness.id`). */
export function openCallbackSender(
  context: Context,
  { post, worker }: { post: PostCallback; worker(): Promise<string> },
): CallbackSender {
  const underWay = new Set<Promise<void>>()
  const perAccount = new Map<string, number>()
  const count = (accountId: string, by: number) => {
    const left = (perAccount.get(accountId) ?? 0) + by
    if (left > 0) perAccount.set(accountId, left)
    else perAccount.delete(accountId)
  }

  return {
    async sendDue(receiver) {
      const { accountId } = receiver
      if (underWay.size >= atOnce.inAll || (perAccount.get(accountId) ?? 0) >= atOnce.perAccount)
        return comeBack(context, receiver)
      const most = underWay.size >= atOnce.inAll / 2 ? 1 : atOnce.perReceiver
      for (const begun of await claimDeliveries(context, { ...receiver, most, sender: await worker() })) {
        count(accountId, 1)
        const sending = sendDelivery(context, begun, { post, most })
          .catch(error => {
            const { id: delivery } = begun
            context.log.error({ delivery, error: explainFault(error) }, 'a callback was not recorded')
          })
          .finally(() => {
            underWay.delete(sending)
            count(accountId, -1)
          })
        underWay.add(sending)
      }
    },
    async close(graceMs) {
      const waiting = new AbortController()
      const grace = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => {})
      await Promise.race([Promise.all(underWay), grace])
      waiting.abort()
    },
  }
}

async function comeBack({ sql }: Context, receiver: Receiver): Promise<void> {
  await addJob(sql, {
    name: 'send-callback',
    payload: receiver,
    key: `callbacks full ${receiver.accountId} ${receiver.receiver}`,
    afterMs: Math.round(noRoomMs * (1 + Math.random())),
  })
}
