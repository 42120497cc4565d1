import { readEvents } from '../../inference/read-events.ts'
import { ServiceError } from '../../session/rest.ts'

/** The parts of an answer that have arrived. */
export interface Produced {
  text: string
  reasoning: string
  /** Calls of functions, as the model wrote them. */
  toolCalls: string
  finishReason: string | undefined
}

interface ToolCall {
  function?: { name?: string; arguments?: string }
}

interface Choice {
  delta?: { content?: string; reasoning_content?: string; reasoning?: string; tool_calls?: ToolCall[] }
  finish_reason?: string | null
}

interface Chunk {
  choices?: Choice[]
  error?: { message?: string; code?: string }
}

/**
 * Reads the stream of an answer and reports after each event. Throws the error that a vendor reports within the stream.
 */
export async function readAnswer(
  stream: ReadableStream<Uint8Array>,
  report: (produced: Produced) => void,
): Promise<void> {
  const produced: Produced = { text: '', reasoning: '', toolCalls: '', finishReason: undefined }
  for await (const event of readEvents(stream)) {
    const { choices, error } = event as Chunk
    if (error) throw new ServiceError(error.message ?? 'The answer broke off.', { code: error.code ?? '' })
    add(produced, choices?.[0] ?? {})
    report({ ...produced })
  }
}

function add(produced: Produced, { delta = {}, finish_reason: finishReason }: Choice): void {
  produced.text += delta.content ?? ''
  produced.reasoning += delta.reasoning_content ?? delta.reasoning ?? ''
  produced.toolCalls += (delta.tool_calls ?? [])
    .map(call => textOfCall(call, produced.toolCalls !== ''))
    .join('')
  produced.finishReason = finishReason ?? produced.finishReason
}

/** A call begins with its name. Its arguments follow in parts. */
function textOfCall({ function: { name, arguments: part = '' } = {} }: ToolCall, isLater: boolean): string {
  return `${name ? `${isLater ? '\n' : ''}${name} ` : ''}${part}`
}
