import { redactSecrets, Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** Maximum number of files of one generation. No vendor makes more. */
const maxFiles = 32
const maxIdCharacters = 512
const maxMessageCharacters = 1_000

/** Maximum and minimum pause that a vendor can request, in milliseconds. */
const maxPauseMs = 600_000

/**
 * Returns a state that can be stored and shown: every part that the vendor chose is bounded, and secrets in its message
 * are redacted. Throws `broken` if it has too many files or too long an ID.
 */
export function boundState(
  state: MediaState,
  { apiKey, secrets = new Secrets([apiKey]) }: Target,
): MediaState {
  if (state.status === 'done') {
    if (state.files.length > 0 && state.files.length <= maxFiles) return state
    throw new UpstreamFailure('broken', { message: `the vendor answered with ${state.files.length} files` })
  }
  if (state.status === 'failed') {
    const message = redactSecrets(state.message, secrets)
    return { ...state, message: message.slice(0, maxMessageCharacters).toWellFormed() }
  }
  const { id, reference = '' } = state.upstream
  if (id === '' || id.length > maxIdCharacters || reference.length > maxIdCharacters) {
    throw new UpstreamFailure('broken', { message: 'the vendor returned no usable ID' })
  }
  const { progress, pollAfterMs } = state
  return {
    ...state,
    progress: progress === undefined ? undefined : Math.round(Math.min(100, Math.max(0, progress))),
    pollAfterMs: pollAfterMs === undefined ? undefined : Math.min(maxPauseMs, Math.max(0, pollAfterMs)),
  }
}
