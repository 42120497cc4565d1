import type { Exchange } from '../../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { completeChat } from '../openai/chat.ts'
import { refuse } from '../openai/errors.ts'
import { openaiHost } from '../openai/host.ts'
import { openai } from '../openai/routes.ts'
import type { Simulator, VendorApi } from '../simulator.ts'

/**
 * Another vendor with OpenAI's chat format, at `{simulator}/compatible/v1`. It supports fewer parameters, and all
 * requests with the same key share its prompt cache.
 */
export const compatible: VendorApi = {
  ...openai,
  routes: [
    {
      method: 'POST',
      path: '/compatible/v1/chat/completions',
      handle: completeChat({ ...openaiHost, prepare }),
    },
  ],
}

/** Parameters that only OpenAI supports. */
const unsupported = [
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier', 'user'],
  ...['store', 'metadata', 'service_tier', 'reasoning_effort', 'logit_bias', 'logprobs', 'top_logprobs'],
]

/** Refuses unsupported parameters and, with the setting `requireSalt`, prompts without a salt. */
function prepare(exchange: Exchange, { settings }: Simulator): Exchange {
  const { json } = exchange.body
  if (!isRecord(json)) return exchange
  const name = unsupported.find(param => param in json)
  if (name) throw refuse(400, `Unrecognized request argument supplied: ${name}`, { param: name })
  if (settings.requireSalt) checkSalt(json)
  return exchange
}

/**
 * Checks the salt by which a client separates its users' caches. The first message and the description of the first
 * tool must begin with it, because a vendor can render either first. No vendor checks this.
 */
function checkSalt({ messages, tools }: JsonRecord): void {
  const [first, ...rest] = listOf(messages)
  const content = JSON.stringify(first?.content)
  const salt = /^(\[\{"type":"text","text":)?"(<!--[^>]+-->)/.exec(content ?? '')?.[2]
  if (!salt || !/system|developer/.test(String(first?.role)))
    throw refuse(400, 'simulator: the first message must be a system message that begins with a salt comment')
  if (content?.split(salt).length !== 2 || JSON.stringify(rest).includes(salt))
    throw refuse(400, 'simulator: the messages must contain the salt comment once')
  const [tool] = listOf(tools)
  const details = isRecord(tool?.function) ? tool.function : undefined
  const start = `{"name":${JSON.stringify(details?.name)},"description":"${salt}`
  if (details && !JSON.stringify(details).startsWith(start))
    throw refuse(400, 'simulator: the first function must have its name, then a description with the salt')
}

function listOf(value: Json | undefined): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
