import { renderPrompt } from '../../model/render-prompt.ts'
import type { Block } from '../request/parse-block.ts'
import type { OfferedTool } from '../request/parse-tools.ts'
import type { Turn } from '../request/parse-turns.ts'
import { messageOf, presentTurn } from '../request/present-turns.ts'

/** A beginning of the prompt: all tools, system blocks and turns up to one of them. */
export interface Prefix {
  readonly text: string
  /** How many breakpoints end here. One within a turn counts at the turn's end. */
  readonly marks: number
}

/** The beginnings of a prompt in order, the shortest first; none where nothing is marked. */
export function listPrefixes(prompt: {
  tools: readonly OfferedTool[]
  system: readonly Block[]
  turns: readonly Turn[]
  /** The whole request is marked, which means its end. */
  isMarkedWhole: boolean
}): Prefix[] {
  const { tools, system, turns, isMarkedWhole } = prompt
  const pieces = [
    ...tools.map(tool => ({
      text: renderPrompt({ tools: [tool], messages: [] }),
      marks: Number(tool.isMarked),
    })),
    ...system.map(block => ({
      text: renderPrompt({ tools: [], messages: [messageOf('system', [block])] }),
      marks: Number(block.isMarked),
    })),
    ...turns.map(turn => ({
      text: renderPrompt({ tools: [], messages: presentTurn(turn) }),
      marks: turn.blocks.filter(block => block.isMarked).length,
    })),
  ]
  const last = pieces.at(-1)
  if (isMarkedWhole && last) last.marks++
  if (!pieces.some(piece => piece.marks > 0)) return []
  let text = ''
  return pieces.map(piece => {
    text += piece.text
    return { text, marks: piece.marks }
  })
}
