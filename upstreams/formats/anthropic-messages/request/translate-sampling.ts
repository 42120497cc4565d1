import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import type { MessagesBody } from '../wire.ts'

/**
 * How the answer is sampled: not at all to be told to recent models, and by one of the two to earlier ones, which
 * refuse temperature and top_p together.
 */
export function translateSampling(
  { temperature, top_p: topP }: ChatRequest,
  { sampling, max_temperature: most }: ChatFlags,
): Pick<MessagesBody, 'temperature' | 'top_p'> {
  if (!sampling) return {}
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, most) }
  return { top_p: topP ?? undefined }
}
