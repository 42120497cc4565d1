import type { MediaEntry } from '../../schema/catalog/entry.ts'
import type { Timeouts } from '../http/exchange.ts'
import type { Target } from '../targets.ts'
import { answersAtOnce } from './media-adapters.ts'

/**
 * Maximum duration of a call that returns audio with a customer's own credential, in milliseconds. Such a vendor may
 * never respond.
 */
const ownAudioMs = 180_000

/** Maximum duration of a call that generates nothing, in milliseconds. */
const shortMs = 60_000

/**
 * Returns the timeouts of a submit. A vendor that responds with the files sends nothing until they are generated. Other
 * vendors respond immediately.
 */
export function submitTimeouts(defaults: Timeouts, entry: MediaEntry, { byokId }: Target): Timeouts {
  const { timeouts, modality } = entry
  const allowedMs = timeouts?.total_ms ?? defaults.totalMs
  if (!answersAtOnce(entry)) return shortTimeouts({ ...defaults, totalMs: allowedMs })
  const totalMs = byokId && modality === 'audio' ? Math.min(allowedMs, ownAudioMs) : allowedMs
  return { firstByteMs: totalMs, idleMs: timeouts?.idle_ms ?? defaults.idleMs, totalMs }
}

/** Returns the timeouts of polls and cancels. */
export function shortTimeouts({ firstByteMs, idleMs, totalMs }: Timeouts): Timeouts {
  return {
    firstByteMs: Math.min(firstByteMs, shortMs),
    idleMs: Math.min(idleMs, shortMs),
    totalMs: Math.min(totalMs, shortMs),
  }
}
