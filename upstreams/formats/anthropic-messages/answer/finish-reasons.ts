import type { FinishReason } from '../../../../schema/wire/chat.ts'
import { requireText } from '../../shared/answer/read-shape.ts'
import type { StopDetails, StopReason } from '../wire.ts'

const everyReason: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}
const finishReasons = new Map(Object.entries(everyReason))

/** Why an answer ended. An answer given by a tool ended as text does. */
export function finishReasonOf(
  reason: StopReason | null | undefined,
  { isGivenByTool }: { isGivenByTool: boolean },
): FinishReason {
  const finish = finishReasons.get(reason ?? 'end_turn') ?? 'stop'
  return finish === 'tool_calls' && isGivenByTool ? 'stop' : finish
}

/** What the vendor says of a refusal, if it does. Throws `broken` where that is no text. */
export function refusalOf(
  reason: StopReason | null | undefined,
  details: StopDetails | null | undefined,
): string | undefined {
  if (reason !== 'refusal') return undefined
  if (details?.explanation) return requireText(details.explanation)
  return details?.category ? `The model refused: ${requireText(details.category)}.` : undefined
}
