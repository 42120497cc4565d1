import { setTimeout as sleep } from 'node:timers/promises'
import type { TestKey } from '../harness/an-account.ts'
import { ask, type Seen } from './ask.ts'

/** The states of a task that a client saw. */
export interface ReportedTask {
  id: string
  /** By its last poll, or by the answer that cancelled it. */
  told: 'pending' | 'success' | 'failed'
  /** The Idempotency-Key of the submit. */
  idempotencyKey: string | undefined
}

/** A customer, and the edge that it asks. */
export interface Asking {
  url: string
  customer: TestKey
}

const maxPolls = 8
const pollEveryMs = 250

/** The submits, in turn: vendors with and without idempotency keys, videos that fail, and a slow video. */
const videos = [
  { model: 'vendor_i/reel', prompt: 'A paper boat' },
  { model: 'vendor_k/flipbook', prompt: 'Waves' },
  { model: 'vendor_i/reel', prompt: 'A paper boat [[fault: fail;ms=200]]' },
  { model: 'vendor_i/reel', prompt: 'A paper boat [[fault: flaky;n=2;status=503]]' },
  { model: 'vendor_i/reel', prompt: 'A paper boat [[fault: takes;ms=4000]]' },
  { model: 'vendor_k/flipbook', prompt: 'Waves [[fault: poll;n=2;status=503;ms=100]]' },
]

/**
 * Submits a video, polls it a while, and cancels one in four. One in three is submitted twice under an Idempotency-Key.
 * Resolves to the outcomes of the submits and the task states that clients saw. Never throws.
 */
export async function makeVideo(
  asking: Asking,
  turn: number,
): Promise<{ seen: Seen[]; tasks: ReportedTask[] }> {
  const { url, customer } = asking
  const idempotencyKey = turn % 3 === 0 ? `video ${turn}` : undefined
  const question = {
    url,
    path: '/videos/generations',
    key: customer.text,
    accountId: customer.accountId,
    body: videos[turn % videos.length]!,
    ...(idempotencyKey && { idempotencyKey }),
  }
  const seen = await Promise.all(idempotencyKey ? [ask(question), ask(question)] : [ask(question)])
  const tasks = seen.flatMap(({ end, answerId }): ReportedTask[] =>
    end === 'submitted' && answerId ? [{ id: answerId, told: 'pending', idempotencyKey }] : [],
  )
  for (const task of tasks.slice(0, 1)) {
    if (turn % 4 === 0) await look(asking, task, 'DELETE')
    for (let polls = 0; polls < maxPolls && task.told === 'pending'; polls++) {
      await sleep(pollEveryMs)
      await look(asking, task, 'GET')
    }
  }
  return { seen, tasks }
}

/** An image, in turn from polled vendors and from a vendor that answers at once. */
export function makeImage({ url, customer }: Asking, turn: number): Promise<Seen> {
  const model = turn % 2 === 0 ? 'vendor_f/canvas' : 'vendor_a/mural'
  return ask({
    url,
    path: '/images/generations',
    key: customer.text,
    accountId: customer.accountId,
    body: { model, prompt: 'A cat', n: 1 + (turn % 2) },
  })
}

/** Polls or cancels. An unavailable edge adds no state. */
async function look({ url, customer }: Asking, task: ReportedTask, method: 'GET' | 'DELETE'): Promise<void> {
  const request = { method, headers: { authorization: `Bearer ${customer.text}` } }
  const signal = AbortSignal.timeout(15_000)
  const answer = await fetch(`${url}/videos/generations/${task.id}`, { ...request, signal })
    .then(async response => (response.ok ? response.json() : undefined))
    .catch(() => undefined)
  if (answer?.id === task.id) task.told = answer.status
}
