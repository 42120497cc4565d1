import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'

/**
 * The stop sequences, without those that say nothing; undefined where none are left. Throws `unsupported_parameter`
 * for more than the model takes.
 */
export function chooseStops(
  { stop }: Pick<ChatRequest, 'stop'>,
  { max_stop_sequences: most }: Pick<ChatFlags, 'max_stop_sequences'>,
): string[] | undefined {
  if (stop === undefined || stop === null) return undefined
  const stops = [stop].flat().filter(text => text !== '')
  if (stops.length > most) {
    const message = `The model takes at most ${most} stop sequences.`
    throw new Problem('unsupported_parameter', { param: 'stop', message })
  }
  return stops.length > 0 ? stops : undefined
}
