import type { Frame } from '../server/send-stream.ts'
import type { Fault } from './fault.ts'

/**
 * A stream's frames as its fault leaves them: fewer, followed by a failure, with one that does not parse, or in slices.
 * `cut` and `stall` end here like `truncate`; what then becomes of the connection is for the sender.
 */
export function spoilFrames(
  frames: Iterable<Frame>,
  { fault, brokenFrame, errorFrame }: { fault: Fault | undefined; brokenFrame: Frame; errorFrame: Frame },
): Iterable<Frame> {
  switch (fault?.name) {
    case 'cut':
    case 'truncate':
    case 'stall':
      return take(frames, fault.count ?? 2)
    case 'error-frame':
      return follow(take(frames, fault.count ?? 2), errorFrame)
    case 'garbage':
      return insert(frames, fault.count ?? 2, brokenFrame)
    case 'split':
      return slice(frames, Math.max(1, fault.count ?? 7))
    default:
      return frames
  }
}

function* take(frames: Iterable<Frame>, count: number): Iterable<Frame> {
  let taken = 0
  if (count === 0) return
  for (const frame of frames) {
    yield frame
    if (++taken >= count) return
  }
}

function* follow(frames: Iterable<Frame>, last: Frame): Iterable<Frame> {
  yield* frames
  yield last
}

function* insert(frames: Iterable<Frame>, after: number, stranger: Frame): Iterable<Frame> {
  let passed = 0
  for (const frame of frames) {
    if (passed++ === after) yield stranger
    yield frame
  }
  if (passed <= after) yield stranger
}

function* slice(frames: Iterable<Frame>, sizeBytes: number): Iterable<Frame> {
  for (const frame of frames) {
    const bytes = Buffer.from(frame)
    for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
  }
}
