import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../platform/checks.ts'
import type { LoadResult } from '../load/plan.ts'
import { percentile } from '../measure/percentile.ts'
import { models } from '../scenarios/models.ts'
import type { CallbackReceiver } from '../system/receive-callbacks.ts'

/** Time that a callback may take before its video counts as lost, in milliseconds. */
const maxCallbackMs = 120_000

/**
 * Submits videos at an even rate, each with the next key. Latencies are from the submit to the callback, for videos that
 * were submitted after `warmUpSeconds`.
 */
export async function measureVideos(
  port: number,
  options: {
    keys: readonly string[]
    perSecond: number
    warmUpSeconds: number
    seconds: number
    receiver: CallbackReceiver
  },
): Promise<Pick<LoadResult, 'p50Ms' | 'p99Ms' | 'faults'>> {
  const { keys, perSecond, warmUpSeconds, seconds, receiver } = options
  const first = warmUpSeconds * perSecond
  const submits = Array.from({ length: first + seconds * perSecond }, async (_, at) => {
    await sleep((at * 1000) / perSecond)
    const submittedAt = Date.now()
    const id = await submit(port, { key: keys[at % keys.length]!, callbackUrl: receiver.url })
    while (!receiver.came.has(id) && Date.now() < submittedAt + maxCallbackMs) await sleep(5)
    const came = receiver.came.get(id)
    if (!came) throw new Error('a video without its callback')
    return came.at - submittedAt
  })
  const ended = await Promise.allSettled(submits)
  const counted = ended.slice(first)
  const durations = counted.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
  const faults = ended.flatMap(end => (end.status === 'rejected' ? [String(end.reason)] : []))
  return { p50Ms: percentile(durations, 0.5), p99Ms: percentile(durations, 0.99), faults }
}

async function submit(
  port: number,
  { key, callbackUrl }: { key: string; callbackUrl: string },
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/videos/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: models.videos,
      prompt: 'A paper boat in the rain.',
      callback_url: callbackUrl,
    }),
  })
  const task: unknown = await response.json()
  if (response.ok && isRecord(task)) return String(task.id)
  throw new Error(`a submit was refused: ${response.status} ${JSON.stringify(task)}`)
}
