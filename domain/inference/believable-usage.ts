import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Usage } from '../../schema/usage.ts'

/** Vendors count what they add to a prompt, and may say a little more than they were allowed. */
const margin = 1.1
const marginTokens = 1_000

/**
 * A vendor's count, where it can be: whole numbers, a prompt within the model's context, an answer within what the
 * vendor was told to make at most, and parts that are no more than their whole. Else undefined: an answer is then
 * charged by an estimate, so that no vendor, a customer's own least of all, can invent what others' money or rates
 * are counted by.
 */
export function believableUsage(
  usage: Usage,
  { entry, mostTokens }: { entry: ChatEntry; mostTokens: number },
): Usage | undefined {
  const counts = Object.values(usage)
  if (!counts.every(count => Number.isSafeInteger(count) && count >= 0)) return undefined
  if (usage.promptTokens > entry.chat.context_tokens * margin) return undefined
  if (usage.completionTokens > mostTokens * margin + marginTokens) return undefined
  const cachedTokens = Math.min(usage.cachedTokens, usage.promptTokens)
  return {
    promptTokens: usage.promptTokens,
    cachedTokens,
    cacheCreationTokens: Math.min(usage.cacheCreationTokens, usage.promptTokens - cachedTokens),
    completionTokens: usage.completionTokens,
    reasoningTokens: Math.min(usage.reasoningTokens, usage.completionTokens),
  }
}
