import type { GenerationFault, MediaState } from '../../media-adapter.ts'

/** The codes with which vendors refuse the content of a generation. */
const policyCodes = new Set([
  ...['content_policy', 'content_policy_violation', 'content_filter', 'moderation_blocked'],
  ...['safety', 'sensitive_content', 'input_moderation', 'output_moderation'],
])

/** Returns why a generation failed, by the vendor's code. */
export function faultOf(code: unknown): GenerationFault {
  return typeof code === 'string' && policyCodes.has(code) ? 'content_policy' : 'generation_failed'
}

/** Returns the state of a failed generation, from the vendor's code and message, either of which can be missing. */
export function failedState(code: unknown, message: unknown): Extract<MediaState, { status: 'failed' }> {
  const words = typeof message === 'string' ? message.trim() : ''
  return { status: 'failed', code: faultOf(code), message: words || 'The vendor could not make it.' }
}
