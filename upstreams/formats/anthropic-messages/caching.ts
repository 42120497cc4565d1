import type Anthropic from '@anthropic-ai/sdk'
import type { CacheControl } from '../../../schema/wire/chat-content.ts'
import type { Block, TextBlock, ThinkingBlock, Tool, Turn } from './wire.ts'

type WithCacheControl = { cache_control?: CacheControl | null | undefined }
type Cacheable = Exclude<Block, ThinkingBlock> | Tool

/** Maximum number of breakpoints that the vendor accepts. */
const maxBreakpoints = 4

/**
 * Returns the blocks of a part or message. If the client marked it as a breakpoint of the cache, the last block becomes
 * one.
 */
export function withCacheControl<Made extends Cacheable>(
  blocks: Made[],
  { cache_control: control }: WithCacheControl,
): Made[] {
  const last = blocks.at(-1)
  if (control && last) last.cache_control = toCacheControl(control)
  return blocks
}

export function toCacheControl({ ttl }: CacheControl): Anthropic.CacheControlEphemeral {
  return ttl ? { type: 'ephemeral', ttl } : { type: 'ephemeral' }
}

interface Prompt {
  tools: Tool[] | undefined
  system: TextBlock[]
  turns: Turn[]
}

/**
 * Sets the breakpoints of the prompt cache: the client's own, or if it set none, the end of the prefix that all
 * conversations share (tools and system) and the ends of the user's last two turns, so that each request reads the cache
 * that the previous request wrote. If there are more than four, the first and the last three are kept. Writing a
 * breakpoint with a lifetime of an hour costs more, so it becomes one of five minutes unless `mayLastAnHour`.
 */
export function setBreakpoints(
  { tools = [], system, turns }: Prompt,
  { mayLastAnHour }: { mayLastAnHour: boolean },
): void {
  const prefix: Cacheable[] = [...tools, ...system]
  const ends = turns.filter(({ role }) => role === 'user').slice(-2)
  const content = turns.flatMap(cacheableBlocks)
  const breakpoints = [...prefix, ...content].filter(isMarked)
  if (!mayLastAnHour) for (const block of breakpoints) block.cache_control = { type: 'ephemeral' }
  // Breakpoints of an hour must precede shorter ones, so no breakpoints are added if there are any.
  const hasHourLong = breakpoints.some(block => block.cache_control?.ttl === '1h')
  if (!hasHourLong && !prefix.some(isMarked)) mark(prefix.at(-1))
  if (!hasHourLong && !content.some(isMarked)) for (const turn of ends) mark(cacheableBlocks(turn).at(-1))
  dropSurplus([...prefix, ...content].filter(isMarked))
}

function isMarked({ cache_control }: Cacheable): boolean {
  return Boolean(cache_control)
}

function mark(block: Cacheable | undefined): void {
  if (block) block.cache_control ??= { type: 'ephemeral' }
}

function dropSurplus(breakpoints: Cacheable[]): void {
  for (const block of breakpoints.slice(1, Math.max(1, breakpoints.length - (maxBreakpoints - 1))))
    delete block.cache_control
}

/** Returns the blocks of a turn that can be breakpoints. Thinking cannot. */
function cacheableBlocks({ content }: Turn): Cacheable[] {
  return content.flatMap(block => (isCacheable(block) ? block : []))
}

function isCacheable(block: Block): block is Exclude<Block, ThinkingBlock> {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking'
}
