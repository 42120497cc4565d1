import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ParameterSchema } from '../../../schema/catalog/entry.ts'

/**
 * What a chat model accepts, as a schema for clients to read: every chat parameter that the system knows
 * (`parameters/chat.yaml`), less what the model's flags rule out, within the limits that they set.
 */
export function narrowChatParameters(all: ParameterSchema, chat: ChatFlags): ParameterSchema {
  const dropped = new Set(droppedBy(chat))
  const limits = limitsOf(chat)
  const kept = Object.entries(all.properties).filter(([name]) => !dropped.has(name))
  const properties = Object.fromEntries(kept.map(([name, field]) => [name, { ...field, ...limits[name] }]))
  return { ...all, properties }
}

function droppedBy(chat: ChatFlags): string[] {
  return [
    ...chat.ignored_parameters,
    ...chat.refused_parameters,
    ...(chat.sampling ? [] : ['temperature', 'top_p']),
    ...(chat.tools ? [] : ['tools', 'tool_choice', 'parallel_tool_calls']),
    ...(chat.reasoning ? [] : ['reasoning_effort']),
    ...(chat.json.object === 'none' && chat.json.schema === 'none' ? ['response_format'] : []),
    ...(chat.max_choices > 1 ? [] : ['n']),
    ...(chat.cache_isolation === 'prompt_cache_key' ? [] : ['prompt_cache_key']),
  ]
}

function limitsOf(chat: ChatFlags): Record<string, Record<string, unknown>> {
  const output = { maximum: chat.max_output_tokens, default: chat.default_output_tokens }
  return {
    max_tokens: output,
    max_completion_tokens: output,
    temperature: { maximum: chat.max_temperature },
    stop: { maxItems: chat.max_stop_sequences },
    n: { maximum: chat.max_choices },
    reasoning_effort: { enum: Object.keys(chat.reasoning?.efforts ?? {}) },
  }
}
