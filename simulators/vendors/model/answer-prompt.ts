import type { Fault } from '../faults/fault.ts'
import type { Simulator } from '../simulator.ts'
import { composeCandidate, countCandidate } from './compose-candidate.ts'
import type { Prompt } from './prompt.ts'
import { renderPrompt } from './render-prompt.ts'
import type { Candidate, Reply, Usage } from './reply.ts'
import { countTokens } from './text/count-tokens.ts'
import { usePromptCache } from './use-prompt-cache.ts'

/**
 * A model's reply to a prompt, counted, its cached beginning looked up in the given partition.
 * `untilTokens` bounds the cacheable prefix. The faults `empty`, `blank` and `no-usage` take effect here.
 */
export function answerPrompt(
  simulator: Simulator,
  {
    prompt,
    partition,
    untilTokens,
    fault,
  }: { prompt: Prompt; partition: string; untilTokens?: number; fault: Fault | undefined },
): Reply {
  const text = renderPrompt(prompt)
  const candidates = composeCandidates(prompt, fault)
  const outputTokens = candidates.reduce((sum, candidate) => sum + countCandidate(candidate), 0)
  const reasoningTokens = countReasoning(prompt) * candidates.length
  const usage: Usage = {
    promptTokens: countTokens(text),
    ...usePromptCache(simulator, { partition, text, untilTokens }),
    outputTokens: outputTokens + reasoningTokens,
    reasoningTokens,
  }
  return { candidates, usage: fault?.name === 'no-usage' ? undefined : usage }
}

const blankCandidate: Candidate = { text: '', calls: [], finish: 'stop' }

function composeCandidates(prompt: Prompt, fault: Fault | undefined): Candidate[] {
  if (fault?.name === 'empty') return []
  return Array.from({ length: prompt.candidateCount }, (_, index) =>
    fault?.name === 'blank' ? blankCandidate : composeCandidate(prompt, { index }),
  )
}

/** Reasoning that does not fit stops at the limit, and leaves no room for an answer. */
function countReasoning({ reasoningTokens, maxTokens = Infinity }: Prompt): number {
  return Math.min(reasoningTokens, maxTokens)
}
