import type { Block, TextBlock, Turn } from '../wire.ts'

/** Turns being put together. Messages of one role in a row are one turn. */
export interface Draft {
  turns: DraftTurn[]
  /** System messages that wait for the end of the user's turn: the vendor takes them nowhere else. */
  asides: TextBlock[]
}

interface DraftTurn {
  role: 'user' | 'assistant' | 'system'
  /** What must come first in a turn: the results of a user, the text of an assistant. */
  head: Block[]
  tail: Block[]
}

/** Adds to the turn of this role, or begins it. What says nothing begins no turn. */
export function addBlocks(
  draft: Draft,
  role: 'user' | 'assistant',
  { head = [], tail = [] }: { head?: Block[]; tail?: Block[] },
): void {
  if (head.length + tail.length === 0) return
  if (role === 'assistant') placeAsides(draft)
  const last = draft.turns.at(-1)
  if (last?.role === role) {
    last.head.push(...head)
    last.tail.push(...tail)
  } else {
    draft.turns.push({ role, head: [...head], tail: [...tail] })
  }
}

/** The turns as they are sent. */
export function finishTurns(draft: Draft): Turn[] {
  placeAsides(draft)
  return draft.turns.map(({ role, head, tail }) =>
    role === 'system'
      ? { role, content: [...head, ...tail].filter(block => block.type === 'text') }
      : { role, content: [...head, ...tail] },
  )
}

/** A system message stands after a user's turn. Where there is none, the user says it. */
function placeAsides(draft: Draft): void {
  if (draft.asides.length === 0) return
  const role = draft.turns.at(-1)?.role === 'user' ? 'system' : 'user'
  draft.turns.push({ role, head: draft.asides, tail: [] })
  draft.asides = []
}
