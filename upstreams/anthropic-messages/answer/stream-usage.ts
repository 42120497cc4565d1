import type { Usage } from '../../../schema/usage.ts'
import type { ChunkDelta } from '../../../schema/wire/chat.ts'
import type { UsageBody } from '../wire.ts'
import { readUsage } from './read-usage.ts'

const charactersPerToken = 4

/**
 * Keeps the usage of one streamed answer. The vendor tells the prompt at once, the output at the very end; an answer
 * that is left before that counts what was produced of it, by its length.
 */
export function openUsage() {
  let body: UsageBody = {}
  let characters = 0
  let isOver = false

  return {
    begin(told: UsageBody | undefined) {
      body = { ...told }
    },
    count(delta: ChunkDelta) {
      characters += delta.content?.length ?? 0
      for (const call of delta.tool_calls ?? []) {
        characters += (call.function?.name?.length ?? 0) + (call.function?.arguments?.length ?? 0)
      }
    },
    /** The counts are of the whole answer, and those that are null are as before. */
    end(told: UsageBody | undefined) {
      const known = Object.entries(told ?? {}).filter(([, value]) => value !== null)
      Object.assign(body, Object.fromEntries(known))
      isOver = true
    },
    get told(): Usage | undefined {
      const usage = readUsage(body)
      if (!usage || isOver) return usage
      const produced = Math.ceil(characters / charactersPerToken)
      return { ...usage, completionTokens: Math.max(usage.completionTokens, produced) }
    },
  }
}
