import type { Prompt } from '../../model/prompt.ts'

const anyObject = { type: 'object', properties: { answer: { type: 'string' }, score: { type: 'integer' } } }

/** The model obeys a system message that asks for a JSON object and nothing else. */
export function heedInstructions(prompt: Prompt): Prompt {
  const isAsked = prompt.messages.some(
    ({ role, text }) => role === 'system' && /\bjson object\b.*\bnothing else\b/is.test(text),
  )
  if (!isAsked || prompt.answerFormat.kind === 'json') return prompt
  return { ...prompt, answerFormat: { kind: 'json', schema: anyObject } }
}
