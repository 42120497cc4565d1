import type { Queue } from '../../../schema/catalog/queue.ts'
import type { KnownTask, MediaCall, MediaState } from '../../media-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { unexpectedShape } from '../shared/answer.ts'
import { numberAt, textAt, valuesAt } from '../shared/answer-paths.ts'
import { failedState } from '../shared/generation-faults.ts'
import { fileAt } from '../shared/media-files.ts'
import { checkOutcome, isRefused } from './failure.ts'

/**
 * Returns the queue of a model. Every entry of this format has one, because the catalogue is checked when it is
 * applied.
 */
export function queueOf({ entry }: MediaCall): Queue {
  const { queue } = entry.upstream
  if (queue) return queue
  throw new UpstreamFailure('broken', { message: `${entry.id} has no queue in the catalogue` })
}

/** Reads the answer to a submit, which may already have ended. Throws `broken` if it has no ID. */
export function readSubmitted(
  answer: unknown,
  { call, target }: { call: MediaCall; target: Target },
): MediaState {
  const queue = queueOf(call)
  checkOutcome(queue, answer)
  const id = textAt(answer, queue.id)
  if (id === undefined) throw unexpectedShape()
  return stateIn(answer, { upstream: { id }, call, target })
}

/** Reads the answer about a generation's state. */
export function readState(answer: unknown, known: KnownTask): MediaState {
  const queue = queueOf(known.call)
  const word = textAt(answer, queue.status.at)
  if (!has(queue.status.failed, word)) checkOutcome(queue, answer)
  if (word === undefined) throw unexpectedShape()
  return stateIn(answer, known)
}

/** Reads the result of a successful generation. */
export function readResult(answer: unknown, known: KnownTask): MediaState {
  const queue = queueOf(known.call)
  checkOutcome(queue, answer)
  const files = queue.files.flatMap(path => valuesAt(answer, path))
  if (files.length === 0) return faultIn(queue, answer)
  return { status: 'done', files: files.map(address => fileAt(address, known.target, { key: queue.key })) }
}

function stateIn(answer: unknown, known: KnownTask): MediaState {
  const queue = queueOf(known.call)
  const { status, result } = queue
  const word = textAt(answer, status.at)
  if (has(status.failed, word)) return faultIn(queue, answer)
  if (has(status.cancelled, word)) {
    return { status: 'failed', code: 'cancelled', message: 'It was cancelled at the vendor.' }
  }
  if (!has(status.done, word)) {
    return { status: 'running', upstream: known.upstream, progress: progressIn(queue, answer) }
  }
  const isFault = status.fault !== undefined && textAt(answer, status.fault) !== undefined
  if (isFault) return faultIn(queue, answer)
  if (!result) return readResult(answer, known)
  const reference = result.reference && textAt(answer, result.reference)
  return {
    status: 'running',
    upstream: { id: known.upstream.id, ask: 'result', reference },
    progress: 100,
    pollAfterMs: 0,
  }
}

/** Whether a vendor's status is one of `words`. */
function has(words: Queue['status']['done'], word: string | undefined): boolean {
  return word !== undefined && words.some(known => String(known) === word)
}

function progressIn({ status }: Queue, answer: unknown): number | undefined {
  const progress = status.progress && numberAt(answer, status.progress)
  return typeof progress === 'number' ? (progress / status.progress_end) * 100 : undefined
}

function faultIn(queue: Queue, answer: unknown): MediaState {
  const code = isRefused(queue, answer) ? 'content_policy' : undefined
  return failedState(code, textAt(answer, ...queue.error.message))
}
