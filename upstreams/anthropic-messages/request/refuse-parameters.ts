import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'

/** Refuses what would change the answer and what the vendor cannot do. Throws `unsupported_parameter`. */
export function refuseParameters(request: ChatRequest, { refused_parameters: refused }: ChatFlags): void {
  for (const name of refused)
    if (isAsked(request, name)) throw new Problem('unsupported_parameter', { param: name })
  if ((request.n ?? 1) > 1) {
    throw new Problem('unsupported_parameter', {
      param: 'n',
      message: 'The model gives one answer at a time.',
    })
  }
  for (const name of ['functions', 'function_call']) {
    if (!isAsked(request, name)) continue
    const message = `The model does not take ${name}: use tools and tool_choice.`
    throw new Problem('unsupported_parameter', { param: name, message })
  }
  const modalities: unknown = Reflect.get(request, 'modalities')
  if (Array.isArray(modalities) && modalities.some(modality => modality !== 'text')) {
    throw new Problem('unsupported_parameter', { param: 'modalities', message: 'The model answers in text.' })
  }
}

function isAsked(request: ChatRequest, name: string): boolean {
  const value: unknown = Reflect.get(request, name)
  return value !== undefined && value !== null && value !== false
}
