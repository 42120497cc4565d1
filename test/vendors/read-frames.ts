/** A frame of a chat stream, as far as tests look at it. */
export interface Frame {
  choices?: { delta: { content?: string }; finish_reason: string | null }[]
  usage?: { prompt_tokens_details?: Record<string, number> }
  error?: { type: string }
}

/** The frames of a chat stream, without its comments and its `[DONE]`. */
export function framesOf(text: string): Frame[] {
  const data = text.split('\n').filter(line => line.startsWith('data: {'))
  return data.map(line => JSON.parse(line.slice(6)))
}

/** The text of all frames or chunks of a stream. */
export function textOf(frames: readonly Spoken[]): string {
  return frames.map(frame => frame.choices?.[0]?.delta.content ?? '').join('')
}

interface Spoken {
  choices?: readonly { delta: { content?: string | null | undefined } }[]
}
