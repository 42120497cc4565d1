import { openCheck } from '../../../domain/inference/open-check.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../../../schema/wire/chat.ts'
import {
  type Embedding,
  type EmbeddingsBody,
  EmbeddingsRequest,
  embeddingsBounds,
} from '../../../schema/wire/embeddings.ts'
import type { Protocol } from '../protocol.ts'

const check = openCheck(EmbeddingsRequest)

/**
 * `POST /v1/embeddings`, over the pipeline of chat: an embedding is a whole answer of which nothing is said. The input
 * stands in the request as it came, without messages (docs/decisions/2026-11-22-embeddings.md).
 */
export const embeddings: Protocol = {
  route: 'embeddings',
  task: 'text-embedding',
  read(body) {
    const { model, input, dimensions, encoding_format, user } = check(body)
    checkInput(input)
    const asked = {
      model,
      messages: [],
      input,
      ...(dimensions && { dimensions }),
      // The SDKs ask for base64 by themselves; who says nothing reads numbers.
      ...(encoding_format && { encoding_format }),
      ...(user && { user }),
    }
    const request: ChatRequest = asked
    return {
      request,
      spell: problem => problem,
      presentWhole: present,
      openPresenter() {
        throw new Problem('unsupported_parameter', { param: 'stream' })
      },
    }
  },
}

/** Throws `invalid_request`, naming what is neither a text nor the tokens of one. */
function checkInput(input: EmbeddingsRequest['input']): void {
  const refuse = (param: string, words: string) =>
    new Problem('invalid_request', { param, message: `${param} ${words}.` })
  if (input.length === 0) throw refuse('input', 'must not be empty')
  if (typeof input === 'string' || isTokens(input)) return
  if (input.length > embeddingsBounds.inputs) {
    throw refuse('input', `may hold at most ${embeddingsBounds.inputs} texts, or lists of tokens`)
  }
  const wrong = input.findIndex(item => item === '' || (typeof item !== 'string' && !isTokens(item)))
  if (wrong < 0) return
  throw refuse(`input[${wrong}]`, 'must be a text that is not empty, or a list of tokens, which are integers')
}

function isTokens(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(token => Number.isSafeInteger(token) && token >= 0)
  )
}

function present({ model, embeddings: data }: ChatCompletion, { promptTokens }: Usage): EmbeddingsBody {
  return {
    object: 'list',
    data: isEmbeddings(data) ? data : [],
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  }
}

/** The adapter has looked at each of them. */
function isEmbeddings(value: unknown): value is Embedding[] {
  return Array.isArray(value)
}
