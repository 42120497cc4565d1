import { isRecord } from '../../platform/checks.ts'
import type { Usage } from '../../schema/usage.ts'
import type { Embedding } from '../../schema/wire/embeddings.ts'
import type {
  AnswerSize,
  ChatAdapter,
  ChatAnswer,
  ChatCall,
  LargeAnswers,
  UpstreamRequest,
} from '../chat-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { failureOfErrorBody, readFailure } from './openai-chat/failure.ts'
import { parseObject } from './shared/answer.ts'
import { keyHeader, keyOf } from './shared/media-files.ts'

/**
 * The embeddings wire format of vendor_a and the vendors that are compatible with it. The answer is a completion
 * without text and with `embeddings`. It is never streamed.
 */
export const openaiEmbeddings: ChatAdapter = {
  buildRequest,
  readAnswer,
  readBeside,
  expectedSize,
  openTranslator() {
    throw new UpstreamFailure('broken', { message: 'embeddings are not streamed' })
  },
  readFailure,
}

function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
  const { origin, pathname } = new URL(target.baseUrl)
  const { input, dimensions, encoding_format } = fieldsOf(call)
  return {
    origin,
    path: `${pathname === '/' ? '' : pathname}/embeddings`,
    headers: {
      ...keyHeader(keyOf(target), target.apiKey),
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
    body: {
      model: call.entry.upstream.model,
      input,
      dimensions,
      encoding_format,
      // Identifies the end user without naming them. It is not sent to vendors whose prompts are salted, because some
      // refuse it.
      user: call.entry.chat.cache_isolation === 'salt' ? undefined : call.cacheToken,
    },
  }
}

function fieldsOf({ request }: ChatCall): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...request }
  return fields
}

/** Size of the longest number in JSON, `-1.2345678901234567e-12`, on a separate line as OpenAI prints it, in bytes. */
const bytesOfNumber = 36

/** A number of four bytes in base64, rounded up. */
const bytesOfBase64 = 6

/** The fields of one embedding, with the space between them. */
const bytesOfItem = 512
const valuesOfItem = 8

/** Maximum number of dimensions if the model's parameters do not set it. */
const usualDimensions = 4_096

function expectedSize(call: ChatCall): AnswerSize {
  const { input, dimensions, encoding_format: format } = fieldsOf(call)
  const { maximum = usualDimensions } = call.entry.parameters.properties.dimensions ?? {}
  const numbers = Math.min(Number(dimensions ?? maximum), Number(maximum))
  const bytes = numbers * (format === 'base64' ? bytesOfBase64 : bytesOfNumber)
  const inputs = countInputs(input)
  return { bytes: inputs * (bytes + bytesOfItem), values: inputs * (numbers + valuesOfItem) }
}

/** Reads the embeddings, one for each input, each with its index. Throws `broken` for anything else. */
function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  const { list, rest } = parseEmbeddings(body, countInputs(fieldsOf(call).input))
  return answerWith(list, rest, call)
}

/** Does the same beside the event loop, because printing and parsing 8 million numbers takes seconds. */
async function readBeside(
  body: Buffer,
  call: ChatCall,
  { thread, maxValues }: { thread: LargeAnswers; maxValues: number },
): Promise<ChatAnswer> {
  const count = countInputs(fieldsOf(call).input)
  const { list, rest } = await thread.readEmbeddings(body, { count, maxValues })
  return answerWith(list, rest, call)
}

function answerWith(
  embeddings: Embedding[] | Buffer,
  { usage }: Record<string, unknown>,
  call: ChatCall,
): ChatAnswer {
  return {
    completion: {
      id: '',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: call.request.model,
      // `length`, because an answer with the reason `stop` must have text.
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, refusal: null },
          logprobs: null,
          finish_reason: 'length',
        },
      ],
      embeddings,
    },
    usage: readUsage(usage),
  }
}

/**
 * Parses an answer of `count` embeddings. Returns them, and the other fields of the answer. Throws the vendor's failure,
 * and `broken` for anything else.
 */
export function parseEmbeddings(
  body: Buffer,
  count: number,
): { list: Embedding[]; rest: Record<string, unknown> } {
  const answer = parseObject(body.toString())
  if (answer.error) throw failureOfErrorBody(answer)
  const { data, ...rest } = answer
  if (!Array.isArray(data) || data.length !== count || !data.every(isEmbedding)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than embeddings',
    })
  }
  return { list: data.map(({ index, embedding }) => ({ object: 'embedding', index, embedding })), rest }
}

/** A string, or one list of tokens, is one input. */
function countInputs(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1
}

function isEmbedding(value: unknown): value is Embedding {
  if (!isRecord(value) || !Number.isSafeInteger(value.index)) return false
  const { embedding } = value
  if (typeof embedding === 'string') return embedding !== ''
  return (
    Array.isArray(embedding) && embedding.length > 0 && embedding.every(number => typeof number === 'number')
  )
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage) || typeof usage.prompt_tokens !== 'number') return undefined
  const { prompt_tokens: promptTokens } = usage
  return { promptTokens, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: 0, reasoningTokens: 0 }
}
