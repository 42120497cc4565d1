import type { ChatFlags, Reasoning } from '../../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'

type Asked = Pick<ChatRequest, 'reasoning_effort'>

/**
 * What the model's table says for the effort that was asked for: the vendor's word, or a budget of tokens; undefined
 * where nothing need be said. A model that cannot be told to think takes `none`. Throws `unsupported_parameter` for an
 * effort that is not in the table.
 */
export function chooseEffort(
  { reasoning_effort: asked }: Asked,
  { reasoning }: Pick<ChatFlags, 'reasoning'>,
): string | number | undefined {
  if (asked === undefined || asked === null) return undefined
  if (!reasoning) {
    if (asked === 'none') return undefined
    const message = 'The model does not think, or cannot be told to.'
    throw new Problem('unsupported_parameter', { param: 'reasoning_effort', message })
  }
  const told = new Map(Object.entries(reasoning.efforts)).get(asked)
  if (told === undefined) throw refuseEffort(reasoning)
  return told
}

/** There is no word for the effort that was asked for. */
export function refuseEffort({ efforts }: Reasoning): Problem {
  const message = `reasoning_effort must be one of ${Object.keys(efforts).join(', ')}.`
  return new Problem('unsupported_parameter', { param: 'reasoning_effort', message })
}
