import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'

/** Stop sequences, without those that say nothing. Throws `unsupported_parameter` for white space and for too many. */
export function translateStop(
  { stop }: ChatRequest,
  { max_stop_sequences: most }: ChatFlags,
): string[] | undefined {
  const stops = [stop ?? []].flat().filter(text => text !== '')
  const refuse = (message: string) => new Problem('unsupported_parameter', { param: 'stop', message })
  if (stops.some(text => text.trim() === '')) throw refuse('The model cannot stop at white space alone.')
  if (stops.length > most) throw refuse(`The model takes at most ${most} stop sequences.`)
  return stops.length > 0 ? stops : undefined
}
