import type { Usage } from '../../../schema/usage.ts'
import type { ChunkChoice } from '../../../schema/wire/chat.ts'
import type { UsageMetadata } from '../wire.ts'
import { readUsage } from './read-usage.ts'

/** The usage of a streamed answer, of which the vendor tells how far it is with each frame. */
export interface StreamUsage {
  /** The last that was told holds; they are not added up. */
  tell(metadata: UsageMetadata | undefined): void
  /** Notes what reached the client, in case it leaves before the vendor has counted it. */
  count(choice: ChunkChoice): void
  /** Undefined before the vendor told anything. */
  readonly sum: Usage | undefined
}

/** Characters of produced text that are a token on average. */
const charactersPerToken = 4

export function openStreamUsage(): StreamUsage {
  let told: Usage | undefined
  let characters = 0
  let isOver = false
  return {
    tell(metadata) {
      told = readUsage(metadata) ?? told
    },
    count({ delta, finish_reason: reason }) {
      characters += delta.content?.length ?? 0
      for (const { function: called } of delta.tool_calls ?? []) characters += called?.arguments?.length ?? 0
      if (reason) isOver = true
    },
    get sum() {
      if (!told || isOver) return told
      const produced = told.reasoningTokens + Math.ceil(characters / charactersPerToken)
      return { ...told, completionTokens: Math.max(told.completionTokens, produced) }
    },
  }
}
