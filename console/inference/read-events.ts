/**
 * Returns the data of a stream's events as parsed JSON. Ends at `[DONE]` or at the end of the stream. Comments and data
 * that is no JSON are skipped.
 */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let pending = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (pending + value).split('\n')
      pending = lines.pop() ?? ''
      const events = lines.map(dataOf).filter(data => data !== undefined)
      for (const data of events) {
        if (data === '[DONE]') return
        const event = parsed(data)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function dataOf(line: string): string | undefined {
  return line.startsWith('data:') ? line.slice('data:'.length).trim() : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
