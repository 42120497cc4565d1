import type { Prompt } from '../../model/prompt.ts'
import type { Exchange } from '../../server/exchange.ts'
import { isMissing } from '../list-models.ts'
import { traitsOf } from '../model-traits.ts'
import { refuse, refuseModel } from '../refuse.ts'
import { checkReasoning } from './check-reasoning.ts'
import { checkSettings } from './check-settings.ts'
import { parseAnswerFormat } from './parse-answer-format.ts'
import { parseLimits } from './parse-limits.ts'
import { parseMessages } from './parse-messages.ts'
import { parseTools } from './parse-tools.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readInteger,
  readOptionalText,
  readRecord,
  readText,
} from './read-fields.ts'

/** A chat request that OpenAI would take, read. */
export interface ChatRequest {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  /** A last chunk with the usage was asked for. */
  readonly includesUsage: boolean
  /** Chunks are padded against guesses from their size, unless the client declines. */
  readonly isObfuscated: boolean
  /** Calls are answered in the older form, `function_call`: the request had `functions`. */
  readonly callsFunctions: boolean
  readonly cacheKey: string | undefined
  /** How many likely tokens to show at each place; undefined where no logprobs are asked for. */
  readonly topLogprobs: number | undefined
}

/** Reads a chat request as strictly as the vendor does; refuses what it would refuse, in its words. */
export function parseChatRequest(exchange: Exchange): ChatRequest {
  const fields = parseFields(exchange)
  const model = readModel(fields)
  const traits = traitsOf(model)
  checkSettings(fields)
  checkReasoning(fields, traits)
  const messages = parseMessages(fields)
  const streamOptions = readStreamOptions(fields)
  const prompt: Prompt = {
    model,
    messages,
    ...parseTools(fields),
    ...parseLimits(fields, { traits }),
    answerFormat: parseAnswerFormat(fields, { messages }),
    seed: readInteger(fields, 'seed'),
  }
  return {
    prompt,
    isStreamed: readBoolean(fields, 'stream') ?? false,
    includesUsage: streamOptions.includesUsage,
    isObfuscated: streamOptions.isObfuscated,
    callsFunctions: fields.values.functions != null,
    cacheKey: readOptionalText(fields, 'prompt_cache_key'),
    topLogprobs: readBoolean(fields, 'logprobs') ? (readInteger(fields, 'top_logprobs') ?? 0) : undefined,
  }
}

const unreadable =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)"

function parseFields({ request, body }: Exchange): Fields {
  const contentType = request.headers['content-type'] ?? ''
  if (!contentType.includes('application/json')) {
    const message = `Unsupported content type: '${contentType}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${contentType}'. Please try again with a supported content type.`
    throw refuse(400, message, { code: 'unsupported_content_type' })
  }
  if (body.json === undefined) throw refuse(400, unreadable)
  return asFields(body.json, '')
}

function readModel(fields: Fields): string {
  if (!fields.values.model) throw refuse(400, 'you must provide a model parameter')
  const model = readText(fields, 'model')
  if (isMissing(model)) throw refuseModel(model)
  return model
}

function readStreamOptions(fields: Fields): { includesUsage: boolean; isObfuscated: boolean } {
  const options = readRecord(fields, 'stream_options')
  if (!options) return { includesUsage: false, isObfuscated: true }
  if (!readBoolean(fields, 'stream')) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    throw refuse(400, message, { param: 'stream_options' })
  }
  return {
    includesUsage: readBoolean(options, 'include_usage') ?? false,
    isObfuscated: readBoolean(options, 'include_obfuscation') ?? true,
  }
}
