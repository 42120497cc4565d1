import type { PromptTool } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import type { Part } from './parse-part.ts'

const comment = /^<!--[^>]+-->$/

/**
 * For a host that keeps its users' caches apart by a salt: everything that is cached must begin with it, which is
 * the system instruction and the tools, whichever the model reads first. No vendor checks that; a setting does.
 */
export function checkSalt(system: readonly Part[], tools: readonly PromptTool[]): void {
  const salt = system[0]?.text ?? ''
  if (!comment.test(salt))
    throw refuse(400, 'simulator: the system instruction does not begin with a salt comment')
  if (system.slice(1).some(part => part.text.includes(salt)))
    throw refuse(400, 'simulator: the salt comment stands twice in the system instruction')
  const [first] = tools
  if (first && !first.description.startsWith(salt))
    throw refuse(400, 'simulator: the first function is not described by the salt comment first')
}
