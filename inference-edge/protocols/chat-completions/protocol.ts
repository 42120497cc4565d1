import { parseChatRequest } from '../../../domain/inference/parse-chat-request.ts'
import { presentUsage } from '../../../domain/inference/present-usage.ts'
import type { Protocol } from '../protocol.ts'
import { openPresenter } from './open-presenter.ts'

/** `POST /v1/chat/completions` (contract: Chat completions): the language of the system itself. */
export const chatCompletions: Protocol = {
  route: 'chat.completions',
  read(body) {
    const request = parseChatRequest(body)
    return {
      request,
      spell: problem => problem,
      presentWhole(completion, usage) {
        for (const { message } of completion.choices) {
          if (message?.thinking_blocks) message.thinking_blocks = undefined
        }
        return { ...completion, usage: presentUsage(usage) }
      },
      openPresenter: () => openPresenter({ includeUsage: request.stream_options?.include_usage === true }),
    }
  },
}
