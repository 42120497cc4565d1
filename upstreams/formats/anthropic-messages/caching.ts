import type Anthropic from '@anthropic-ai/sdk'
import type { CacheControl } from '../../../schema/wire/chat-content.ts'
import type { Block, TextBlock, ThoughtBlock, Tool, Turn } from './wire.ts'

type Marked = { cache_control?: CacheControl | null | undefined }
type Cacheable = Exclude<Block, ThoughtBlock> | Tool

/** The vendor takes no more breakpoints of its cache than these. */
const mostMarks = 4

/** Blocks, the last of them a breakpoint where the client said so of what they were made of. */
export function markAs<Made extends Cacheable>(blocks: Made[], { cache_control: mark }: Marked): Made[] {
  const last = blocks.at(-1)
  if (mark && last) last.cache_control = toMark(mark)
  return blocks
}

export function toMark({ ttl }: CacheControl): Anthropic.CacheControlEphemeral {
  return ttl ? { type: 'ephemeral', ttl } : { type: 'ephemeral' }
}

interface Prompt {
  tools: Tool[] | undefined
  system: TextBlock[]
  turns: Turn[]
}

/**
 * Sets the breakpoints of the prompt cache: those of the client and, where it left them out, the end of what
 * all conversations share (tools and system) and the ends of the last two turns of the user: what one request
 * writes up to its end, the next one finds there. Of more than the vendor takes the last ones hold, and the
 * first. A breakpoint that lasts an hour is paid dearer, so it becomes one of the usual five minutes unless
 * `mayLast`.
 */
export function markPrompt({ tools = [], system, turns }: Prompt, { mayLast }: { mayLast: boolean }): void {
  const prefix: Cacheable[] = [...tools, ...system]
  const ends = turns.filter(({ role }) => role === 'user').slice(-2)
  const said = turns.flatMap(blocksOf)
  const marked = [...prefix, ...said].filter(({ cache_control: mark }) => mark)
  if (!mayLast) for (const block of marked) block.cache_control = { type: 'ephemeral' }
  // Longer breakpoints must come before shorter ones: beside such the client sets all of them itself.
  const isOwn = marked.some(({ cache_control: mark }) => mark?.ttl === '1h')
  if (!isOwn && !prefix.some(({ cache_control: mark }) => mark)) mark(prefix.at(-1))
  if (!isOwn && !said.some(({ cache_control: mark }) => mark))
    for (const turn of ends) mark(blocksOf(turn).at(-1))
  dropMarks([...prefix, ...said].filter(({ cache_control: mark }) => mark))
}

function mark(block: Cacheable | undefined): void {
  if (block) block.cache_control ??= { type: 'ephemeral' }
}

function dropMarks(marked: Cacheable[]): void {
  for (const block of marked.slice(1, Math.max(1, marked.length - (mostMarks - 1))))
    delete block.cache_control
}

/** The blocks of a turn that may be breakpoints: thoughts may not. */
function blocksOf({ content }: Turn): Cacheable[] {
  return content.flatMap(block => (isCacheable(block) ? block : []))
}

function isCacheable(block: Block): block is Exclude<Block, ThoughtBlock> {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking'
}
