import type { Block, TextBlock, Turn } from '../wire.ts'

/** Turns being put together. Messages of one role in a row are one turn. */
export interface Draft {
  turns: DraftTurn[]
  /** System messages that wait for the end of the user's turn: the vendor takes them nowhere else. */
  asides: TextBlock[]
}

interface DraftTurn {
  role: 'user' | 'assistant' | 'system'
  blocks: Block[]
}

/** Adds to the turn of this role, or begins it. What says nothing begins no turn. */
export function addBlocks(draft: Draft, role: 'user' | 'assistant', blocks: Block[]): void {
  if (blocks.length === 0) return
  if (role === 'assistant') placeAsides(draft)
  const last = draft.turns.at(-1)
  if (last?.role !== role) draft.turns.push({ role, blocks: [...blocks] })
  else for (const block of blocks) last.blocks.push(block)
}

/** The turns as they are sent. Of an assistant's messages thoughts come first, and calls last: results must follow them. */
export function finishTurns(draft: Draft): Turn[] {
  placeAsides(draft)
  return draft.turns.map(({ role, blocks }): Turn => {
    const said = blocks.filter(block => block.type === 'text')
    if (role === 'system') return { role, content: said }
    if (role === 'user') return { role, content: blocks }
    const thought = blocks.filter(({ type }) => isThought(type))
    const called = blocks.filter(({ type }) => type !== 'text' && !isThought(type))
    return { role, content: [...thought, ...said, ...called] }
  })
}

function isThought(type: Block['type']): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** A system message stands after a user's turn. Where there is none, the user says it. */
function placeAsides(draft: Draft): void {
  if (draft.asides.length === 0) return
  const role = draft.turns.at(-1)?.role === 'user' ? 'system' : 'user'
  draft.turns.push({ role, blocks: draft.asides })
  draft.asides = []
}
