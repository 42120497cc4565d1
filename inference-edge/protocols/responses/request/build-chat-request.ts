import { boundCounts } from '../../../../domain/inference/bound-counts.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import type { ParamNames } from '../../param-names.ts'
import { buildMessages } from '../input/build-messages.ts'
import { buildToolChoice, buildTools } from '../tools/build-tools.ts'
import { buildFormat } from './build-format.ts'
import type { Asked } from './read-asked.ts'

/**
 * A request of the Responses protocol in the language of the system. Fields of the protocol that have no meaning here
 * stay behind; so does `metadata`, which vendors take only for what they store. Throws Problem.
 */
export function buildChatRequest(asked: Asked, { paramNames }: { paramNames: ParamNames }): ChatRequest {
  const { fields, names, offers, choice } = asked
  const { instructions, text, reasoning } = fields
  const format = buildFormat(asked.format)
  const wantsLogprobs =
    fields.include?.includes('message.output_text.logprobs') || fields.top_logprobs != null
  const request: ChatRequest = {
    model: fields.model,
    messages: buildMessages(asked.items, { instructions, names, paramNames }),
    ...(wantsLogprobs && { logprobs: true, ...given({ top_logprobs: fields.top_logprobs }) }),
    ...given({
      stream: fields.stream,
      temperature: fields.temperature,
      top_p: fields.top_p,
      max_completion_tokens: fields.max_output_tokens,
      reasoning_effort: reasoning?.effort,
      verbosity: text?.verbosity,
      response_format: format,
      prompt_cache_key: fields.prompt_cache_key,
      safety_identifier: fields.safety_identifier,
      user: fields.user,
    }),
    ...(offers.length > 0 && {
      tools: buildTools(offers, { names, paramNames }),
      ...given({
        tool_choice: choice && buildToolChoice(choice, { names }),
        parallel_tool_calls: fields.parallel_tool_calls,
      }),
    }),
  }
  boundCounts(request)
  return request
}

/** Without the fields that say nothing. */
function given<Fields extends object>(fields: Fields): Partial<Fields> {
  const kept: Partial<Fields> = { ...fields }
  for (const name in kept) if (kept[name] == null) delete kept[name]
  return kept
}
