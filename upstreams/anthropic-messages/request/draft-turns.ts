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
  if (last?.role === role) last.blocks.push(...blocks)
  else draft.turns.push({ role, blocks: [...blocks] })
}

/** The turns as they are sent. Of an assistant's messages the text comes first: results must follow the calls. */
export function finishTurns(draft: Draft): Turn[] {
  placeAsides(draft)
  return draft.turns.map(({ role, blocks }): Turn => {
    const said = blocks.filter(block => block.type === 'text')
    if (role === 'system') return { role, content: said }
    if (role === 'user') return { role, content: blocks }
    return { role, content: [...said, ...blocks.filter(block => block.type !== 'text')] }
  })
}

/** A system message stands after a user's turn. Where there is none, the user says it. */
function placeAsides(draft: Draft): void {
  if (draft.asides.length === 0) return
  const role = draft.turns.at(-1)?.role === 'user' ? 'system' : 'user'
  draft.turns.push({ role, blocks: draft.asides })
  draft.asides = []
}
