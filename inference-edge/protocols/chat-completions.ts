import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { readMetadata } from '../../domain/logs/request-metadata.ts'
import { JsonTemplate } from '../../platform/json-template.ts'
import { dollars } from '../../platform/money.ts'
import { presentProblem } from '../../schema/errors.ts'
import type { ChargedUsage } from '../../schema/usage.ts'
import type { AssistantMessage, ChatChunk, ChatUsageBody, ChunkDelta } from '../../schema/wire/chat.ts'
import { TextChunk, wholeChunk } from '../../schema/wire/text-chunk.ts'
import {
  frameOf,
  frameOfJson,
  idSuffixOf,
  type Protocol,
  type RequestIdentity,
  type StreamPresenter,
} from './protocol.ts'
import { refuseStoredTurns } from './refuse-stored-turns.ts'

/** `POST /v1/chat/completions`. Its format is the canonical chat format, so nothing is translated. */
export const chatCompletions: Protocol = {
  route: 'chat.completions',
  read(body) {
    refuseStoredTurns(body)
    const request = parseChatRequest(body)
    return {
      request,
      metadata: readMetadata(Reflect.get(request, 'metadata')),
      renameParam: problem => problem,
      presentWhole(completion, usage, identity) {
        for (const { message } of completion.choices) removeThinkingBlocks(message)
        completion.id = completionIdOf(identity)
        completion.usage = presentUsage(usage)
        return completion
      },
      openPresenter: identity =>
        openPresenter(identity, { includeUsage: request.stream_options?.include_usage === true }),
    }
  },
}

/**
 * Presents a stream of `chat.completion.chunk`s. Chunks with a `finish_reason` are held back until the charge is
 * durable. With `includeUsage`, the usage follows in a chunk with empty `choices`, like OpenAI's; otherwise it is in
 * the chunk with the `finish_reason` (docs/behaviour.md, Streams). A broken stream ends with an error frame and without
 * `[DONE]`.
 */
export function openPresenter(
  identity: RequestIdentity,
  { includeUsage }: { includeUsage: boolean },
): StreamPresenter {
  const id = completionIdOf(identity)
  const finalChunks: ChatChunk[] = []
  const ended = new Set<number>()
  let first: ChatChunk | undefined
  let like: ChatChunk | undefined
  let template: JsonTemplate | undefined
  const present = (chunk: ChatChunk) => {
    chunk.id = id
    if (includeUsage) chunk.usage = null // like OpenAI, in every chunk except the last
    for (const { delta } of chunk.choices) removeThinkingBlocks(delta)
    return frameOf(chunk)
  }
  const presentText = (text: TextChunk) => {
    if (text.like !== like) {
      like = text.like
      template = JsonTemplate.print({ ...wholeChunk(new TextChunk(like, gap)), id }, gap)
    }
    return template ? frameOfJson(template.write(text.content)) : present(wholeChunk(text))
  }
  const usageFrame = ({ object, created, model }: ChatChunk, usage: ChatUsageBody) =>
    frameOf({ id, object, created, model, choices: [], usage })
  return {
    begin: () => '',
    chunk(chunk) {
      first ??= chunk instanceof TextChunk ? chunk.like : chunk
      if (chunk instanceof TextChunk) return presentText(chunk)
      const endings = chunk.choices.filter(choice => choice.finish_reason)
      if (endings.length === 0) return present(chunk)
      // Some vendors repeat the last chunk of a choice endlessly.
      if (endings.every(({ index }) => ended.has(index))) return ''
      for (const { index } of endings) ended.add(index)
      finalChunks.push(chunk)
      return ''
    },
    end(usage) {
      const last = finalChunks.pop()
      if (!last) return done
      const body = presentUsage(usage)
      const closing = includeUsage
        ? present(last) + usageFrame(last, body)
        : present({ ...last, usage: body })
      return finalChunks.map(present).join('') + closing + done
    },
    fail(problem, usage) {
      const error = presentProblem(problem)
      if (!usage) return frameOf(error)
      const body = presentUsage(usage)
      // SDKs expose only the field `error` of an error frame, so `usage` has its own frame if the client requested it.
      return includeUsage && first
        ? usageFrame(first, body) + frameOf(error)
        : frameOf({ ...error, usage: body })
    },
    keepAlive: () => ': ping\n\n',
  }
}

const done = 'data: [DONE]\n\n'

/** Marks the place of the text in a template. */
const gap = '\0text'

/** Returns the ID of an answer. It is derived from the request's, so that `GET /v1/generation` finds it. */
function completionIdOf({ requestId }: RequestIdentity): string {
  return `chatcmpl-${idSuffixOf(requestId)}`
}

/** Signed thinking is only for clients of the Messages protocol, which send it back to its vendor. */
function removeThinkingBlocks(message: AssistantMessage | ChunkDelta | undefined): void {
  if (message?.thinking_blocks) message.thinking_blocks = undefined
}

/** `usage` as chat clients read it: the cache fields are left out when zero (docs/behaviour.md, Chat). */
export function presentUsage(usage: ChargedUsage): ChatUsageBody {
  const body: ChatUsageBody = {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    cost: dollars(usage.costNanos),
  }
  if (usage.cachedTokens > 0 || usage.cacheCreationTokens > 0) {
    body.prompt_tokens_details = {
      ...(usage.cachedTokens > 0 && {
        cached_tokens: usage.cachedTokens,
        cache_read_input_tokens: usage.cachedTokens,
      }),
      ...(usage.cacheCreationTokens > 0 && { cache_creation_input_tokens: usage.cacheCreationTokens }),
    }
  }
  if (usage.reasoningTokens > 0) body.completion_tokens_details = { reasoning_tokens: usage.reasoningTokens }
  return body
}
