import { estimateTokens, measurePrompt } from '../../../domain/inference/count-prompt.ts'
import { readMetadata } from '../../../domain/logs/request-metadata.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { renameParamOf } from '../param-names.ts'
import type { Protocol } from '../protocol.ts'
import { presentAnswer } from './answer.ts'
import { effortFor, readRequest } from './request.ts'
import { openPresenter } from './stream.ts'
import { bytesOfEmulated } from './tools.ts'

/** `POST /v1/messages`: Anthropic's protocol, for every chat model (docs/behaviour.md, Messages). */
export const messages: Protocol = {
  route: 'messages',
  read(body) {
    const { fields, request, paramNames } = readRequest(body)
    const { thinking, metadata } = fields
    const showsThinking = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
    const renameParam = (problem: Problem) => renameParamOf(problem, paramNames, renameRest)
    return {
      request,
      metadata: readMetadata(metadata && { ...metadata, user_id: undefined }), // it names the end user
      addedBytes: bytesOfEmulated(fields.tools),
      renameParam,
      overridesFor: entry => ({ reasoning_effort: effortFor(fields, entry) }),
      presentWhole: (completion, usage, { requestId }) =>
        presentAnswer(completion, usage, { requestId, showsThinking }),
      openPresenter: identity =>
        openPresenter(identity, {
          showsThinking,
          renameParam,
          estimateUsage: () => estimatePromptUsage(request),
        }),
    }
  },
}

function estimatePromptUsage(request: ChatRequest): Usage {
  const promptTokens = estimateTokens(measurePrompt(request))
  return { promptTokens, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: 0, reasoningTokens: 0 }
}

/** Fields that chat completions nests in an object are flat in this protocol, and some have other names. */
function renameRest(rest: string): string {
  return rest
    .replace(/^\.function\.parameters/, '.input_schema')
    .replace(/^\.function\.arguments/, '.input')
    .replace(/^\.(function|json_schema)(?=\.|$)/, '')
    .replace(/\.image_url\.url$/, '.source')
    .replace(/\.file(\.file_data|\.file_url)?$/, '.source')
    .replace(/^\.tool_call_id$/, '.tool_use_id')
}
