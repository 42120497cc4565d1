/** Faults by name; beside these, every status from 400 to 599 is one: `503`. The README says what each does. */
export const faultNames = [
  'slow',
  'hang',
  'flaky',
  'quota',
  'too-long',
  'cut',
  'truncate',
  'stall',
  'garbage',
  'error-frame',
  'trickle',
  'split',
  'no-usage',
  'empty',
  'blank',
  'refusal',
  'malformed-call',
] as const

export type FaultName = (typeof faultNames)[number] | 'status'

/** Something that goes wrong on purpose, as a marker asked: `slow;ms=200`. */
export interface Fault {
  readonly name: FaultName
  /** Chunks, times or bytes, by the fault's meaning (`n=`). */
  readonly count: number | undefined
  /** `ms=` */
  readonly waitMs: number | undefined
  /** The HTTP status: the fault's own name, or of `flaky` (`status=`). */
  readonly status: number
  /** Which calls count as tries of the same thing (`key=`). */
  readonly key: string | undefined
}
