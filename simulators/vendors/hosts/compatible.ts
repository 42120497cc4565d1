import type { Exchange } from '../../server/exchange.ts'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { completeChat } from '../openai/chat.ts'
import { refuse } from '../openai/errors.ts'
import { openai, openaiHost } from '../openai/routes.ts'
import type { Simulator, VendorApi } from '../simulator.ts'

/**
 * Another vendor that speaks OpenAI's chat format, at `{simulator}/compatible/v1`: it knows less of it, and its prompt
 * cache has no partitions within a key.
 */
export const compatible: VendorApi = {
  ...openai,
  prefix: '/compatible/',
  routes: [
    {
      method: 'POST',
      path: '/compatible/v1/chat/completions',
      handle: completeChat({ ...openaiHost, prepare }),
    },
  ],
  refuseUnknown: (method, path) => refuse(404, `Invalid URL (${method} ${path.replace('/compatible', '')})`),
}

/** What only OpenAI itself knows: its accounts, its storage, its cache. */
const unknown = [
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier', 'user'],
  ...['store', 'metadata', 'service_tier', 'reasoning_effort', 'logit_bias', 'logprobs', 'top_logprobs'],
]

/** Refuses what such a vendor does not know and, where a setting says so, what does not begin with a salt. */
function prepare(exchange: Exchange, { settings }: Simulator): Exchange {
  const { json } = exchange.body
  if (!isRecord(json)) return exchange
  const name = unknown.find(known => known in json)
  if (name) throw refuse(400, `Unrecognized request argument supplied: ${name}`, { param: name })
  if (settings.requireSalt) checkSalt(json)
  return exchange
}

/**
 * For a host that keeps its users' caches apart by a salt: everything that is cached must begin with it, which is the
 * first message and the tools, whichever the vendor reads first. No vendor checks that; a setting does.
 */
function checkSalt({ messages, tools }: JsonRecord): void {
  const [first] = listOf(messages)
  const salt = /^<!--[^>]+-->/.exec(textOf(first))?.[0]
  if (!salt || !['system', 'developer'].includes(String(first?.role)))
    throw refuse(400, 'simulator: the first message is not of the system and begun by a salt comment')
  if (listOf(messages).some((message, index) => textOf(message).includes(salt, index === 0 ? 1 : 0)))
    throw refuse(400, 'simulator: the salt comment stands twice in the messages')
  const [tool] = listOf(tools)
  const details = isRecord(tool?.function) ? tool.function : undefined
  if (details && !startsWithSalt(details, salt))
    throw refuse(400, 'simulator: the salt comment does not follow the name of the first function')
}

/** Some vendors render a function as it was sent, field by field. */
function startsWithSalt(details: JsonRecord, salt: string): boolean {
  const [first, second] = Object.keys(details)
  const isSalted = typeof details.description === 'string' && details.description.startsWith(salt)
  return isSalted && first === 'name' && second === 'description'
}

function listOf(value: Json | undefined): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The text of a message, its parts joined. */
function textOf(message: JsonRecord | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  return listOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}
