import type { PromptFeedback } from '../wire.ts'

/** What a client is told in place of an answer to a prompt that the vendor blocked; undefined where it did not. */
export function explainBlock(feedback: PromptFeedback | undefined): string | undefined {
  if (!feedback?.blockReason) return undefined
  const words = feedback.blockReasonMessage ? `: ${feedback.blockReasonMessage}` : '.'
  return `The vendor blocked the prompt (${feedback.blockReason})${words}`
}
