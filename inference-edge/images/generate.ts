import { Problem } from '../../schema/errors.ts'
import { cancelMedia, type MediaOptions, pollMedia, submitMedia } from '../../upstreams/call/call-media.ts'
import type { MediaFile, MediaState } from '../../upstreams/media-adapter.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'

/** The request for one generation of images at a vendor. */
export interface ImageGeneration extends MediaOptions {
  idempotencyKey: string
  /** Throws if the vendor must not be called. `isAgain` is whether an earlier check counted the call. */
  mayCall(isAgain: boolean): Promise<void>
  mayStart(): boolean
}

/** Maximum delay before a failed poll is retried, in milliseconds. The delay doubles up to it. */
const longestPauseMs = 15_000

/**
 * Submits one generation and polls it until it ends, within the time limit of its model. A generation that exceeds the
 * limit is cancelled at the vendor. `mayCall` is called before each poll, so that a revoked key makes no call. Throws
 * `content_policy`, UpstreamFailure, and the errors of `mayCall`.
 */
export async function generate(edge: Edge, generation: ImageGeneration): Promise<MediaFile[]> {
  const { upstreams } = edge
  const { call, target, accountId, cancellation } = generation
  let state = await submitMedia(upstreams, generation)
  try {
    return filesOf(await untilEnded(edge, generation, state, latest => (state = latest)))
  } catch (error) {
    if (state.status === 'running') {
      const { upstream } = state
      void cancelMedia(upstreams, { call, target, accountId, cancellation, upstream }).catch(() => {})
    }
    throw error
  }
}

type Ended = Exclude<MediaState, { status: 'running' }>

/** Polls until the generation has ended. Calls `onState` with each state. */
async function untilEnded(
  { upstreams, inference: { context } }: Edge,
  { call, target, accountId, cancellation, countAnswer, mayCall }: ImageGeneration,
  begun: MediaState,
  onState: (state: MediaState) => void,
): Promise<Ended> {
  const { poll_ms, time_limit_ms } = call.entry.generation
  const deadline = context.clock.monotonic() + time_limit_ms
  let state = begun
  let failures = 0
  while (state.status === 'running') {
    const { upstream } = state
    const pauseMs = failures === 0 ? (state.pollAfterMs ?? poll_ms) : poll_ms * 2 ** failures
    await cancellation.pause(Math.min(pauseMs, longestPauseMs) * (0.9 + 0.2 * Math.random()))
    if (cancellation.isCancelled) throw new UpstreamFailure('aborted')
    if (context.clock.monotonic() > deadline)
      throw new UpstreamFailure('timeout', { message: 'the images exceeded the time limit of the model' })
    await mayCall(true)
    try {
      state = await pollMedia(upstreams, {
        ...{ call, target, accountId, cancellation, countAnswer, upstream },
        isAwaited: true,
      })
      failures = 0
      onState(state)
    } catch (error) {
      if (!mayPass(error)) throw error
      failures += 1
    }
  }
  return state
}

/** Whether a failed poll may be retried: a vendor that is busy or unavailable may still complete the generation. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof UpstreamFailure && ['busy', 'broken', 'timeout', 'circuit_open'].includes(error.kind)
  )
}

function filesOf(state: Ended): MediaFile[] {
  if (state.status === 'done') return state.files
  if (state.code === 'content_policy')
    throw new Problem('content_policy', { param: 'prompt', message: state.message })
  throw new UpstreamFailure('broken', { message: state.message })
}
