import { hash } from 'node:crypto'
import { type CacheUse, type PromptTool, renderPrompt } from '../model/prompt.ts'
import { type CachePartition, usePrefixes } from '../model/prompt-cache.ts'
import { countTokens } from '../model/text.ts'
import type { Simulator } from '../simulator.ts'
import { type Block, messageOf, presentTurn, type Turn } from './turns.ts'

/** A prefix of the prompt: all tools, system blocks and turns up to one of them. */
export interface Prefix {
  readonly text: string
  /** The number of breakpoints at its end. A breakpoint within a turn counts at the end of the turn. */
  readonly breakpoints: number
}

/** Returns the prefixes of a prompt, shortest first, or none if the prompt has no breakpoint. */
export function listPrefixes(prompt: {
  tools: readonly (PromptTool & { isMarked: boolean })[]
  system: readonly Block[]
  turns: readonly Turn[]
  /** Whether the request itself is marked, which is a breakpoint at its end. */
  isMarked: boolean
}): Prefix[] {
  const { tools, system, turns, isMarked } = prompt
  const countBreakpoints = (marked: readonly { isMarked: boolean }[]) =>
    marked.filter(piece => piece.isMarked).length
  const blocks = [...system, ...turns.flatMap(turn => turn.blocks)]
  if (!isMarked && countBreakpoints([...tools, ...blocks]) === 0) return []

  const prefixes: Prefix[] = []
  const add = (piece: Parameters<typeof renderPrompt>[0], marked: readonly { isMarked: boolean }[]) => {
    const text = (prefixes.at(-1)?.text ?? '') + renderPrompt(piece)
    prefixes.push({ text, breakpoints: countBreakpoints(marked) })
  }
  for (const tool of tools) add({ tools: [tool], messages: [] }, [tool])
  for (const block of system) add({ tools: [], messages: [messageOf('system', [block])] }, [block])
  for (const turn of turns) add({ tools: [], messages: presentTurn(turn) }, turn.blocks)
  const last = prefixes.pop()
  return last ? [...prefixes, { ...last, breakpoints: last.breakpoints + Number(isMarked) }] : []
}

/** The number of prefixes before a breakpoint that are looked up in the cache. */
const maxStepsBack = 20

/**
 * Looks up the longest cached prefix within reach of a breakpoint, and caches the prompt up to the last breakpoint.
 * Prefixes below the minimum length are not cached.
 */
export function useBreakpoints(
  { promptCache }: Simulator,
  options: { partition: CachePartition; prefixes: readonly Prefix[]; minimumTokens: number },
): CacheUse {
  const { partition, prefixes, minimumTokens } = options
  const marked = prefixes.flatMap(({ breakpoints }, index) => (breakpoints > 0 ? index : []))
  const cacheable = prefixes.flatMap(({ text, breakpoints }, index) => {
    const tokens = countTokens(text)
    const isReached = marked.some(mark => index <= mark && index >= mark - maxStepsBack)
    if (tokens < minimumTokens || !isReached) return []
    const digest = hash('sha1', `${JSON.stringify(partition)}\n${text}`)
    return { digest, tokens, isWritten: breakpoints > 0 }
  })
  return usePrefixes(promptCache, cacheable)
}
