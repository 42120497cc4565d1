import { presentUsage } from '../../../domain/inference/present-usage.ts'
import { presentProblem } from '../../../schema/errors.ts'
import type { ChatChunk } from '../../../schema/wire/chat.ts'
import { frameOf, type StreamPresenter } from '../protocol.ts'

/**
 * A stream of `chat.completion.chunk`s. Those with a `finish_reason` wait for the charge; usage comes as OpenAI sends
 * it where the client asked (a chunk with empty `choices`), else on the chunk that carries `finish_reason`
 * (README: usage on a stream). A stream that broke has an error frame and no `[DONE]`. Thoughts as a vendor
 * signed them are for clients of its own protocol.
 */
export function openPresenter({ includeUsage }: { includeUsage: boolean }): StreamPresenter {
  const last: ChatChunk[] = []
  const show = (chunk: ChatChunk) => {
    if (includeUsage) chunk.usage = null // as OpenAI sends it before the last one
    for (const { delta } of chunk.choices) if (delta?.thinking_blocks) delta.thinking_blocks = undefined
    return frameOf(chunk)
  }
  return {
    begin: () => '',
    chunk(chunk) {
      if (!chunk.choices.some(choice => choice.finish_reason)) return show(chunk)
      last.push(chunk)
      return ''
    },
    end(usage) {
      const final = last.pop()
      if (!final) return done
      const body = presentUsage(usage)
      const { id, object, created, model } = final
      const closing = includeUsage
        ? show(final) + frameOf({ id, object, created, model, choices: [], usage: body })
        : show({ ...final, usage: body })
      return last.map(show).join('') + closing + done
    },
    fail: problem => frameOf(presentProblem(problem)),
    keepAlive: () => ': ping\n\n',
  }
}

const done = 'data: [DONE]\n\n'
