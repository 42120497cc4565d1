import type { ModelTraits } from '../model-traits.ts'
import { refuse } from '../refuse.ts'
import { type Fields, readBoolean } from './read-fields.ts'
import { refuseUnsupported } from './refuse-field.ts'

/** What a model that thinks takes at its default alone. */
const defaults = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 }

/** Refuses what only models that think take of those that do not, and the other way round. */
export function checkReasoning(fields: Fields, { isReasoning }: ModelTraits): void {
  const { values } = fields
  if (!isReasoning) {
    if (values.reasoning_effort != null) throw refuseUnsupported('reasoning_effort')
    return
  }
  for (const [name, usual] of Object.entries(defaults)) {
    if (values[name] == null || values[name] === usual) continue
    const message = `Unsupported value: '${name}' does not support ${values[name]} with this model. Only the default (${usual}) value is supported.`
    throw refuse(400, message, { param: name, code: 'unsupported_value' })
  }
  if (readBoolean(fields, 'logprobs')) throw refuseUnsupported('logprobs')
  for (const name of ['top_logprobs', 'logit_bias']) if (values[name] != null) throw refuseUnsupported(name)
}
