import { blankSecrets, Secrets } from '../../platform/secrets/blank-secrets.ts'
import type { MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** No vendor makes more files in one generation. */
const maxFiles = 32
const maxIdCharacters = 512
const maxMessageCharacters = 1_000

/** Maximum and minimum pause that a vendor can request, in milliseconds. */
const maxPauseMs = 600_000

/**
 * A state as it may be stored and shown: bounded in all that the vendor chose, with secrets blanked in its
 * words. Throws `broken` for more files, or a longer id, than a vendor would have.
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
    const message = blankSecrets(state.message, secrets)
    return { ...state, message: message.slice(0, maxMessageCharacters).toWellFormed() }
  }
  const { id, reference = '' } = state.upstream
  if (id === '' || id.length > maxIdCharacters || reference.length > maxIdCharacters) {
    throw new UpstreamFailure('broken', { message: 'the vendor gave no usable id' })
  }
  const { progress, pollAfterMs } = state
  return {
    ...state,
    progress: progress === undefined ? undefined : Math.round(Math.min(100, Math.max(0, progress))),
    pollAfterMs: pollAfterMs === undefined ? undefined : Math.min(maxPauseMs, Math.max(0, pollAfterMs)),
  }
}
