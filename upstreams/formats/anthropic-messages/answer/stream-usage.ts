import type { Usage } from '../../../../schema/usage.ts'
import type { UsageBody } from '../wire.ts'
import { readUsage } from './read-usage.ts'

/** Keeps the usage of one streamed answer. The vendor tells the prompt at once, the output at the very end. */
export function openUsage() {
  let body: UsageBody = {}
  let isFinal = false

  return {
    begin(told: UsageBody | undefined) {
      body = { ...told }
    },
    /** The counts are of the whole answer, and those that are null are as before. */
    end(told: UsageBody | undefined) {
      const known = Object.entries(told ?? {}).filter(([, value]) => value !== null)
      Object.assign(body, Object.fromEntries(known))
      isFinal = typeof told?.output_tokens === 'number'
    },
    get told(): Usage | undefined {
      return readUsage(body)
    },
    /** The output was told too. */
    get isFinal() {
      return isFinal
    },
  }
}
