import { createHash } from 'node:crypto'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { cacheToken } from './cache-token.ts'
import { scale } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'
import { countTexts } from './tokens/prompt-tokens.ts'

/** Vendors forget a cached prefix about so long after its last use. */
const lifeSeconds = 300

/** A cached prefix ends at a whole number of tokens, somewhere before this part of what its share amounts to. */
const sureShare = 0.97

interface Prompt {
  accountId: string
  entry: ChatEntry
  request: ChatRequest
}

/**
 * Remembers how much of a prompt a vendor read from its cache, in case the next one with the same beginning is left
 * before its vendor counts it. Only of vendors who count at the end: the others say it at once. Costs what hashing the
 * cached part costs, and waits for nothing.
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
  inference.rates.redis.set(nameOf(inference, prompt), kept, 'EX', lifeSeconds).catch(() => {})
}

/**
 * Tokens of a prompt that its vendor probably read from its cache: as many as when the same beginning was last sent for
 * the same end user and model, within minutes, and no more than a tokenizer counts in it: what was said cheaply in one
 * prompt is no share of what another says dearly. Zero where that is not known, or Redis is away.
 */
export async function cachedShareOf(inference: Inference, prompt: Prompt): Promise<number> {
  if (prompt.entry.upstream.adapter !== 'openai-chat') return 0
  const kept = await inference.rates.redis.get(nameOf(inference, prompt)).catch(() => null)
  const [tokens = '', characters = '', digest] = kept?.split(' ') ?? []
  const texts = textsOf(prompt.request)
  if (!digest || digestOf(texts, Number(characters)) !== digest) return 0
  const counted = await countTexts(inference.tokenizer, [...beginningOf(texts, Number(characters))])
  return Math.min(Number(tokens), scale(prompt.entry, counted / sureShare))
}

function nameOf(inference: Inference, { accountId, entry, request }: Prompt): string {
  const token = cacheToken(inference, { accountId, entry, request })
  return `${inference.rates.prefix}{${accountId}}:cached:${entry.model}:${token}`
}

/** A digest of so many characters of a prompt's beginning; undefined where it is shorter. */
function digestOf(texts: readonly string[], characters: number): string | undefined {
  const hash = createHash('sha256')
  let left = characters
  for (const text of beginningOf(texts, characters)) {
    hash.update(text)
    left -= text.length
  }
  return left <= 0 && characters > 0 ? hash.digest('base64url') : undefined
}

/** So many characters of a prompt's beginning, or all of it where that is shorter. */
function* beginningOf(texts: readonly string[], characters: number): Iterable<string> {
  let left = characters
  for (const text of texts) {
    if (left <= 0) return
    yield left < text.length ? text.slice(0, left) : text
    left -= text.length
  }
}

/** What a prompt says, in the order in which vendors cache it: tools first. */
function textsOf({ tools, messages }: ChatRequest): string[] {
  const texts = tools?.length ? [JSON.stringify(tools)] : []
  for (const { role, content, ...rest } of messages) {
    texts.push(`\n${role}:`)
    if (content) texts.push(typeof content === 'string' ? content : JSON.stringify(content))
    const more = JSON.stringify(rest) // its calls and names, where it has any
    if (more !== '{}') texts.push(more)
  }
  return texts
}
