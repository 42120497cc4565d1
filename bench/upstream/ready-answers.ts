/** A wire format of a vendor. All formats give the same answer. */
export interface WireFormat {
  /** The vendor's own headers of every response. */
  headers: readonly string[]
  whole(): object
  /** Returns the frames of a stream with `chunks` pieces of text. */
  frames(chunks: number): string[]
}

/** A response as bytes. */
export interface ReadyAnswer {
  /** The response in one write, the most demanding case for a gateway. */
  bytes: Buffer
  /** The response in parts: one for each frame, the HTTP head with the first and the end with the last. */
  parts: readonly Buffer[]
}

const known = new Map<WireFormat, Map<number, ReadyAnswer>>()

/** Returns an answer in `chunks` pieces of text, or a whole one for 0. Each is composed once. */
export function readyAnswer(format: WireFormat, chunks: number): ReadyAnswer {
  const ofFormat = known.get(format) ?? new Map<number, ReadyAnswer>()
  known.set(format, ofFormat)
  const answer = ofFormat.get(chunks) ?? compose(format, chunks)
  ofFormat.set(chunks, answer)
  return answer
}

/** Composes an answer. Each frame of a stream is a separate HTTP chunk. */
function compose(format: WireFormat, chunks: number): ReadyAnswer {
  if (chunks === 0) {
    const bytes = jsonResponse(format.whole(), format.headers)
    return { bytes, parts: [bytes] }
  }
  const frames = format.frames(chunks).map(text => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  const streamed = ['content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked']
  frames[0] = headOf([...format.headers, ...streamed]) + frames[0]
  frames.push(`${frames.pop()}0\r\n\r\n`)
  const parts = frames.map(text => Buffer.from(text))
  return { bytes: Buffer.concat(parts), parts }
}

/** Returns a response with a JSON body. */
export function jsonResponse(body: object, headers: readonly string[] = []): Buffer {
  const text = JSON.stringify(body)
  const length = `content-length: ${Buffer.byteLength(text)}`
  return Buffer.from(headOf([...headers, 'content-type: application/json', length]) + text)
}

function headOf(headers: readonly string[]): string {
  return `${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`
}
