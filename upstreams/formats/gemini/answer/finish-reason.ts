import type { FinishReason } from '../wire.ts'

type Finish = 'stop' | 'length' | 'content_filter'

/** The vendor's reasons in the canonical format's words; `failed` where the model could not go on, for which there is none. */
const finishReasons: Readonly<Record<FinishReason, Finish | 'failed'>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'failed',
  MALFORMED_RESPONSE: 'failed',
  UNEXPECTED_TOOL_CALL: 'failed',
  TOO_MANY_TOOL_CALLS: 'failed',
  NO_IMAGE: 'failed',
  IMAGE_OTHER: 'failed',
  OTHER: 'failed',
  FINISH_REASON_UNSPECIFIED: 'failed',
}

const finishes = new Map<string, Finish | 'failed'>(Object.entries(finishReasons))

/**
 * Why a choice ended. A model that could not go on has still ended its answer where it said something before;
 * `failed` where it did not. Reasons that are new to us count as such.
 */
export function readFinish(
  reason: string | undefined,
  { hasText, hasCalls }: { hasText: boolean; hasCalls: boolean },
): Finish | 'tool_calls' | 'failed' {
  const finish = finishes.get(reason ?? '') ?? 'failed'
  if (finish === 'length' || finish === 'content_filter') return finish
  if (hasCalls) return 'tool_calls'
  return finish === 'failed' && hasText ? 'stop' : finish
}
