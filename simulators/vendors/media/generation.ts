import type { Fault } from '../../server/faults.ts'
import type { Size } from './make-png.ts'
import type { SoundFormat } from './make-sound.ts'

/** What a generation makes. */
export type Product =
  | { readonly kind: 'image'; readonly size: Size; readonly count: number }
  | { readonly kind: 'video'; readonly size: Size; readonly seconds: number }
  | { readonly kind: 'sound'; readonly format: SoundFormat; readonly seconds: number }

/** One generation that was submitted. What became of it follows from the time. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly prompt: string
  readonly product: Product
  readonly fault: Fault | undefined
  /** When it was submitted, in milliseconds since 1970. */
  readonly startedAt: number
  /** Never, for one that is stuck. */
  readonly endsAt: number
  cancelledAt: number | undefined
  /** Polls that were refused so far, as the fault `poll` asks. */
  refusedPolls: number
  /** Names of the files, once they were asked for. */
  files: string[] | undefined
}

/** A file that was generated: made anew whenever it is fetched. */
export interface MadeFile {
  readonly name: string
  readonly product: Product
  /** Chooses the colours. */
  readonly seed: number
  /** What goes wrong with its download. */
  readonly fault: Fault | undefined
  failedDownloads: number
}

/** Where a generation stands. */
export type Standing =
  | { readonly state: 'queued' | 'running'; readonly percent: number }
  | { readonly state: 'done' | 'cancelled'; readonly percent: number }
  | { readonly state: 'failed'; readonly percent: number; readonly isRefused: boolean }

/** The first tenth of a generation it waits in the vendor's queue. */
const queuedShare = 0.1

/** Where a generation stands at a time. */
export function standingOf(generation: Generation, now: number): Standing {
  const { fault, startedAt, endsAt, cancelledAt } = generation
  if (cancelledAt !== undefined) return { state: 'cancelled', percent: 0 }
  if (now < endsAt) {
    const share = Number.isFinite(endsAt) ? (now - startedAt) / (endsAt - startedAt) : 0.5
    return { state: share < queuedShare ? 'queued' : 'running', percent: Math.floor(share * 100) }
  }
  const isRefused = fault?.name === 'refusal'
  if (isRefused || fault?.name === 'fail') return { state: 'failed', percent: 100, isRefused }
  return { state: 'done', percent: 100 }
}

/** What vendors say of a generation that failed. */
export const refusedMessage = 'The prompt was refused by the content policy.'
export const failedMessage = 'The generation failed: the model could not go on.'
