import type { Usage } from '../../../../schema/usage.ts'
import type { UsageMetadata } from '../wire.ts'
import { readUsage } from './read-usage.ts'

/** The usage of a streamed answer, of which the vendor tells how far it is with each frame. */
export interface StreamUsage {
  /** The last that was told holds; they are not added up. */
  tell(metadata: UsageMetadata | undefined): void
  /** Undefined before the vendor told anything. */
  readonly told: Usage | undefined
}

export function openStreamUsage(): StreamUsage {
  let told: Usage | undefined
  return {
    tell(metadata) {
      told = readUsage(metadata) ?? told
    },
    get told() {
      return told
    },
  }
}
