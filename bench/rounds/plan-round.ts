import type { LoadPlan } from '../load/plan.ts'
import { models } from '../scenarios/models.ts'
import type { Load, Side } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'

export interface Lengths {
  warmUpSeconds: number
  seconds: number
}

/** Returns the load generator's plan for one side. Throws if that side was not started. */
export function planRound(
  { ports, keys }: System,
  { side, load, lengths }: { side: Side; load: Load; lengths: Lengths },
): LoadPlan {
  const port = ports[side]
  if (port === undefined) throw new Error(`the ${side} was not started`)
  return {
    port,
    keys: keys.slice(0, load.keys),
    shape: load.shape,
    protocol: load.protocol ?? 'chat',
    model: load.model ?? models.a,
    imageBytes: load.imageBytes ?? 0,
    streamChunks: load.streamChunks ?? 0,
    chunkEveryMs: load.chunkEveryMs ?? 0,
    upstreamLatencyMs: load.upstreamLatencyMs ?? 0,
    mayBeRefused: load.mayBeRefused ?? false,
    ...lengths,
  }
}
