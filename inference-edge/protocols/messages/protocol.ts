import { estimateTokens, measurePrompt } from '../../../domain/inference/count-prompt.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { renameParamOf } from '../param-names.ts'
import type { Protocol } from '../protocol.ts'
import { openPresenter } from './answer/open-presenter.ts'
import { presentAnswer } from './answer/present-answer.ts'
import { toldBytes } from './request/build-tools.ts'
import { fitThinking } from './request/fit-thinking.ts'
import { readRequest } from './request/read-request.ts'

/** `POST /v1/messages`: for clients of vendor_b's own format, on every chat model (docs/clients.md). */
export const messages: Protocol = {
  route: 'messages',
  read(body) {
    const { fields, request, paramNames } = readRequest(body)
    const { thinking } = fields
    const showsThoughts = thinking?.type === 'enabled' || thinking?.type === 'adaptive'
    const renameParam = (problem: Problem) => renameParamOf(problem, paramNames, renameRest)
    return {
      request,
      addedBytes: toldBytes(fields.tools),
      renameParam,
      overridesFor: entry => fitThinking(fields, entry),
      presentWhole: (completion, usage, { requestId }) =>
        presentAnswer(completion, usage, { requestId, showsThoughts }),
      openPresenter: identity =>
        openPresenter(identity, { showsThoughts, renameParam, estimate: () => estimatePrompt(request) }),
    }
  },
}

/** The usage of the prompt alone, roughly. */
function estimatePrompt(request: ChatRequest): Usage {
  const promptTokens = estimateTokens(measurePrompt(request))
  return { promptTokens, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: 0, reasoningTokens: 0 }
}

/** What stands inside of something in chat stands beside it here. */
function renameRest(rest: string): string {
  return rest
    .replace(/^\.function\.parameters/, '.input_schema')
    .replace(/^\.function\.arguments/, '.input')
    .replace(/^\.(function|json_schema)(?=\.|$)/, '')
    .replace(/\.image_url\.url$/, '.source')
    .replace(/\.file(\.file_data|\.file_url)?$/, '.source')
    .replace(/^\.tool_call_id$/, '.tool_use_id')
}
