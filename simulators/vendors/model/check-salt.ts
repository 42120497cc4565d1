import { refuseWith } from '../../server/exchange.ts'
import type { Settings } from '../simulator.ts'
import type { Prompt } from './prompt.ts'

/**
 * Checks the salt by which a client separates its users' caches, if the settings require it. The first system message
 * and the description of the first tool must begin with it, because a vendor can render either first. No vendor checks
 * this.
 */
export function checkSalt({ messages, tools }: Prompt, { requireSalt }: Settings): void {
  if (!requireSalt) return
  const [first, ...others] = messages
  const [salt = ''] = /^<!--[^>]+-->/.exec(first?.text ?? '') ?? []
  if (!salt || first?.role !== 'system')
    throw refuseWith(400, 'The first message must be a system message that begins with a salt comment.')
  if (first.text.split(salt).length > 2 || others.some(({ text }) => text.includes(salt)))
    throw refuseWith(400, 'The messages must contain the salt comment once.')
  if (tools[0]?.description.startsWith(salt) === false)
    throw refuseWith(400, 'The description of the first function must begin with the salt comment.')
}
