import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { chooseStops } from '../../shared/request/choose-stops.ts'

/** Stop sequences, without those that say nothing. Throws `unsupported_parameter` for white space and for too many. */
export function translateStop(request: ChatRequest, chat: ChatFlags): string[] | undefined {
  const stops = chooseStops(request, chat)
  if (!stops?.some(text => text.trim() === '')) return stops
  const message = 'The model cannot stop at white space alone.'
  throw new Problem('unsupported_parameter', { param: 'stop', message })
}
