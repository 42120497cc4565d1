import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatEntry, ParameterSchema } from '../../../schema/catalog/entry.ts'
import type { ChatAdapter } from '../../../schema/catalog/vendor.ts'
import type { Report } from '../reading/faults.ts'

/** The flags that each wire format can act on. */
const spoken: Record<ChatAdapter, { carriers: readonly string[]; isolations: readonly string[] }> = {
  'openai-chat': { carriers: ['reasoning_effort'], isolations: ['prompt_cache_key', 'salt'] },
  'anthropic-messages': { carriers: ['output_config'], isolations: ['session'] },
  'openai-embeddings': { carriers: [], isolations: ['prompt_cache_key', 'salt'] },
  gemini: { carriers: ['thinking_level', 'thinking_budget'], isolations: ['salt'] },
}

/** A chat model's flags agree with its wire format, with each other and with the parameters that there are. */
export function checkChatFlags(
  { chatParameters }: { chatParameters: ParameterSchema },
  { chat, upstream: { adapter } }: ChatEntry,
  report: Report,
): void {
  checkSpoken(adapter, chat, report)
  if (chat.max_output_tokens > chat.context_tokens) {
    report(['chat', 'max_output_tokens'], 'exceeds context_tokens')
  }
  if (chat.default_output_tokens > chat.max_output_tokens) {
    report(['chat', 'default_output_tokens'], 'exceeds max_output_tokens')
  }
  for (const list of ['ignored_parameters', 'refused_parameters'] as const) {
    for (const [index, name] of chat[list].entries()) {
      const known = name in chatParameters.properties
      if (!known) report(['chat', list, index], `${name} is not a chat parameter`)
    }
  }
  for (const [index, name] of chat.refused_parameters.entries()) {
    const ignored = chat.ignored_parameters.includes(name)
    if (ignored) report(['chat', 'refused_parameters', index], `${name} is ignored already`)
  }
}

function checkSpoken(adapter: ChatAdapter, chat: ChatFlags, report: Report): void {
  const { carriers, isolations } = spoken[adapter]
  if (chat.reasoning && !carriers.includes(chat.reasoning.carrier)) {
    report(['chat', 'reasoning', 'carrier'], unspoken(adapter, carriers))
  }
  if (!isolations.includes(chat.cache_isolation)) {
    report(['chat', 'cache_isolation'], unspoken(adapter, isolations))
  }
  if (adapter === 'openai-chat' && !chat.output_limit_field) {
    report(['chat'], 'output_limit_field is missing')
  }
}

function unspoken(adapter: ChatAdapter, known: readonly string[]): string {
  return `${adapter} has no such way: ${known.join(' or ')}`
}
