import { isMantle } from '../bedrock/is-mantle.ts'
import type { ChatCall, Target } from '../chat-adapter.ts'

/**
 * The call with the model's flags as they are where the target leads. Bedrock's newer door refuses
 * `output_config.format` for every model: there a schema is kept by a tool that must be called.
 */
export function fitCall(call: ChatCall, { baseUrl }: Pick<Target, 'baseUrl'>): ChatCall {
  const { chat } = call.entry
  if (chat.json.schema !== 'native' || !isMantle(baseUrl)) return call
  const json = { ...chat.json, schema: 'tool' as const }
  return { ...call, entry: { ...call.entry, chat: { ...chat, json } } }
}
