import { createHash } from 'node:crypto'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { cacheToken } from './cache-token.ts'
import { scale } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'
import { countTexts } from './tokens/prompt-tokens.ts'

/** Time after its last use at which vendors drop a cached prefix, in seconds. */
const lifeSeconds = 300

/** Part of a cached prefix that is compared: its end lies at a token boundary, which is not known exactly. */
const sureShare = 0.97

interface Prompt {
  accountId: string
  entry: ChatEntry
  request: ChatRequest
}

/**
 * Stores how much of a prompt a vendor read from its cache, in case a client leaves the next stream with the same
 * beginning before the vendor has counted it. Only for vendors that count at the end of a stream. Hashes the cached part,
 * and does not wait for Redis.
 */
export function rememberCachedShare(inference: Inference, prompt: Prompt, usage: Usage): void {
  if (usage.cachedTokens === 0 || prompt.entry.upstream.adapter !== 'openai-chat') return
  const share = usage.cachedTokens / usage.promptTokens
  const texts = textsOf(prompt.request)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const characters = Math.floor(length * share * sureShare)
  const digest = digestOf(texts, characters)
  if (!digest) return
  const kept = `${usage.cachedTokens} ${characters} ${digest}`
  inference.context.redis.set(nameOf(inference, prompt), kept, 'EX', lifeSeconds).catch(() => {})
}

/**
 * Returns the tokens of a prompt that its vendor probably read from its cache: the number of the last prompt with the same
 * beginning, end user and model within `lifeSeconds`, and at most what a tokenizer counts in that beginning. Returns zero
 * if none is known or Redis is unavailable.
 */
export async function cachedShareOf(inference: Inference, prompt: Prompt): Promise<number> {
  if (prompt.entry.upstream.adapter !== 'openai-chat') return 0
  const kept = await inference.context.redis.get(nameOf(inference, prompt)).catch(() => null)
  const [tokens = '', characters = '', digest] = kept?.split(' ') ?? []
  const texts = textsOf(prompt.request)
  if (!digest || digestOf(texts, Number(characters)) !== digest) return 0
  const counted = await countTexts(inference.tokenizer, [...beginningOf(texts, Number(characters))])
  return Math.min(Number(tokens), scale(prompt.entry, counted / sureShare))
}

function nameOf(inference: Inference, { accountId, entry, request }: Prompt): string {
  const token = cacheToken(inference, { accountId, entry, request })
  return `${inference.context.config.redisPrefix}{${accountId}}:cached:${entry.provider}:${entry.model}:${token}`
}

/** Returns a digest of the first characters of a prompt; undefined if it is shorter. */
function digestOf(texts: readonly string[], characters: number): string | undefined {
  const hash = createHash('sha256')
  let left = characters
  for (const text of beginningOf(texts, characters)) {
    hash.update(text)
    left -= text.length
  }
  return left <= 0 && characters > 0 ? hash.digest('base64url') : undefined
}

/** Yields the first characters of a prompt, or all of it if it is shorter. */
function* beginningOf(texts: readonly string[], characters: number): Iterable<string> {
  let left = characters
  for (const text of texts) {
    if (left <= 0) return
    yield left < text.length ? text.slice(0, left) : text
    left -= text.length
  }
}

/** Returns the texts of a prompt in the order in which vendors cache them: tools first. */
function textsOf({ tools, messages }: ChatRequest): string[] {
  const texts = tools?.length ? [JSON.stringify(tools)] : []
  for (const { role, content, ...rest } of messages) {
    texts.push(`\n${role}:`)
    if (content) texts.push(typeof content === 'string' ? content : JSON.stringify(content))
    const more = JSON.stringify(rest) // its calls and names
    if (more !== '{}') texts.push(more)
  }
  return texts
}
