import { hash } from 'node:crypto'
import type { PromptTool } from '../model/prompt.ts'
import { renderPrompt } from '../model/prompt.ts'
import { type CachePartition, type CacheUse, isCached, keepPrefix } from '../model/prompt-cache.ts'
import { countTokens } from '../model/text.ts'
import type { Simulator } from '../simulator.ts'
import { type Block, messageOf, presentTurn, type Turn } from './turns.ts'

/** A beginning of the prompt: all tools, system blocks and turns up to one of them. */
export interface Prefix {
  readonly text: string
  /** How many breakpoints end here. One within a turn counts at the turn's end. */
  readonly marks: number
}

/** The beginnings of a prompt in order, the shortest first; none where nothing is marked. */
export function listPrefixes(prompt: {
  tools: readonly (PromptTool & { isMarked: boolean })[]
  system: readonly Block[]
  turns: readonly Turn[]
  /** The whole request is marked, which means its end. */
  isMarkedWhole: boolean
}): Prefix[] {
  const { tools, system, turns, isMarkedWhole } = prompt
  const countMarks = (marked: readonly { isMarked: boolean }[]) =>
    marked.filter(({ isMarked }) => isMarked).length
  const blocks = [...system, ...turns.flatMap(turn => turn.blocks)]
  if (!isMarkedWhole && countMarks([...tools, ...blocks]) === 0) return []

  const prefixes: Prefix[] = []
  const add = (piece: Parameters<typeof renderPrompt>[0], marked: readonly { isMarked: boolean }[]) => {
    const text = (prefixes.at(-1)?.text ?? '') + renderPrompt(piece)
    prefixes.push({ text, marks: countMarks(marked) })
  }
  for (const tool of tools) add({ tools: [tool], messages: [] }, [tool])
  for (const block of system) add({ tools: [], messages: [messageOf('system', [block])] }, [block])
  for (const turn of turns) add({ tools: [], messages: presentTurn(turn) }, turn.blocks)
  const last = prefixes.pop()
  return last ? [...prefixes, { ...last, marks: last.marks + Number(isMarkedWhole) }] : []
}

/** A breakpoint looks so far back for a prefix that is cached already. */
const maxStepsBack = 20

/**
 * Reads the longest cached prefix that a breakpoint reaches and writes the prompt up to the last breakpoint, each
 * for five minutes since its last use. Nothing is shared between partitions, and nothing too short is cached.
 */
export function useBreakpoints(
  { settings, cachedPrefixes, clock }: Simulator,
  options: { partition: CachePartition; prefixes: readonly Prefix[]; minimumTokens: number },
): CacheUse {
  const { partition, prefixes, minimumTokens } = options
  const minimum = Math.max(minimumTokens, settings.cacheMinimumTokens)
  const marked = prefixes.flatMap(({ marks }, index) => (marks > 0 ? index : []))
  let cachedTokens = 0
  let markedTokens = 0
  for (const [index, { text, marks }] of prefixes.entries()) {
    const tokens = countTokens(text)
    const isReached = marked.some(mark => index <= mark && index >= mark - maxStepsBack)
    if (tokens < minimum || !isReached) continue
    const digest = hash('sha1', `${JSON.stringify(partition)}\n${text}`)
    const isFound = isCached(cachedPrefixes, digest, clock.now())
    if (isFound) cachedTokens = tokens
    if (marks > 0) markedTokens = tokens
    if (isFound || marks > 0) keepPrefix(cachedPrefixes, digest, clock.now())
  }
  return { cachedTokens, cacheWriteTokens: Math.max(0, markedTokens - cachedTokens) }
}
