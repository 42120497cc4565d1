import { openCheck } from '../../domain/inference/parse-chat-request.ts'
import { readMetadata } from '../../domain/logs/request-metadata.ts'
import { hole, SplicedJson } from '../../platform/json/spliced-json.ts'
import { dollars } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import type { ChargedUsage } from '../../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../../schema/wire/chat.ts'
import {
  type Embedding,
  type EmbeddingsBody,
  EmbeddingsRequest,
  embeddingsBounds,
} from '../../schema/wire/embeddings.ts'
import type { Protocol } from './protocol.ts'

const check = openCheck(EmbeddingsRequest)

/**
 * `POST /v1/embeddings`, served by the chat pipeline: the chat request has the unchanged `input` instead of messages,
 * and its completion has the embeddings instead of text (docs/decisions/2026-11-22-embeddings.md).
 */
export const embeddings: Protocol = {
  route: 'embeddings',
  task: 'text-embedding',
  read(body) {
    const fieldsOfBody = check(body)
    const { model, input, dimensions, encoding_format, user } = fieldsOfBody
    checkInput(input)
    const fields = {
      model,
      messages: [],
      input,
      ...(dimensions && { dimensions }),
      // SDKs request base64 by default. Otherwise the vendor returns numbers.
      ...(encoding_format && { encoding_format }),
      ...(user && { user }),
    }
    const request: ChatRequest = fields
    return {
      request,
      metadata: readMetadata(Reflect.get(fieldsOfBody, 'metadata')),
      renameParam: problem => problem,
      presentWhole: present,
      openPresenter() {
        throw new Problem('unsupported_parameter', { param: 'stream' })
      },
    }
  },
}

/** Throws `invalid_request`, naming the first input that is neither a text nor a list of tokens. */
function checkInput(input: EmbeddingsRequest['input']): void {
  if (input.length === 0) throw invalidParam('input', 'must not be empty')
  if (typeof input === 'string' || isTokens(input)) return
  if (input.length > embeddingsBounds.inputs) {
    throw invalidParam('input', `must have at most ${embeddingsBounds.inputs} texts or lists of tokens`)
  }
  const wrong = input.findIndex(item => item === '' || (typeof item !== 'string' && !isTokens(item)))
  if (wrong < 0) return
  throw invalidParam(
    `input[${wrong}]`,
    'must be a text that is not empty, or a list of tokens, which are integers',
  )
}

function isTokens(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(token => Number.isSafeInteger(token) && token >= 0)
  )
}

function present(
  { model, embeddings: data }: ChatCompletion,
  { promptTokens, costNanos }: ChargedUsage,
): EmbeddingsBody | SplicedJson {
  const body = {
    object: 'list' as const,
    data: isEmbeddings(data) ? data : [],
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens, cost: dollars(costNanos) },
  }
  return Buffer.isBuffer(data) ? new SplicedJson({ ...body, data: hole }, [data]) : body
}

/** Checks only that embeddings exist: the adapter has checked each of them. */
function isEmbeddings(value: unknown): value is Embedding[] {
  return Array.isArray(value)
}
