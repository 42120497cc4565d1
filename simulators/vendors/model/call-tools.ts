import type { Prompt, PromptTool } from './prompt.ts'
import { lastUserText } from './prompt.ts'
import type { MadeCall } from './reply.ts'
import { fitSchema } from './schema/fit-schema.ts'

/**
 * The calls that a model makes: none without tools, after a tool's result, or where they are forbidden; else one,
 * or, where that is allowed and the user says "in parallel", one of each tool and at least two.
 */
export function callTools(prompt: Prompt, { seed }: { seed: number }): MadeCall[] {
  const { toolChoice, messages } = prompt
  if (prompt.tools.length === 0 || toolChoice.mode === 'none' || messages.at(-1)?.role === 'tool') return []
  const { names } = toolChoice
  const allowed = names ? prompt.tools.filter(tool => names.includes(tool.name)) : prompt.tools
  const [first] = allowed
  if (!first) return []
  return choose(prompt, first, allowed).map((tool, index) => ({
    name: tool.name,
    arguments: JSON.stringify(fitSchema(tool.schema, { ordinal: seed + index })),
  }))
}

function choose(prompt: Prompt, first: PromptTool, allowed: readonly PromptTool[]): readonly PromptTool[] {
  if (!prompt.mayCallInParallel || !/\bin parallel\b/i.test(lastUserText(prompt))) return [first]
  return allowed.length > 1 ? allowed : [first, first]
}
