import type { WireFormat } from './wire-format.ts'

/** An answer as bytes. */
export interface ReadyAnswer {
  /** The whole response in one write, the most demanding case for a gateway. */
  bytes: Buffer
  /** The same in parts, one for each frame of a stream, the HTTP head with the first and the end with the last. */
  parts: readonly Buffer[]
}

const known = new Map<WireFormat, Map<number, ReadyAnswer>>()

/** An answer of that format in `chunks` pieces of text, a whole one for 0. It is composed once. */
export function readyAnswer(format: WireFormat, chunks: number): ReadyAnswer {
  const ofFormat = known.get(format) ?? new Map<number, ReadyAnswer>()
  known.set(format, ofFormat)
  const answer = ofFormat.get(chunks) ?? (chunks === 0 ? composeWhole(format) : composeStream(format, chunks))
  ofFormat.set(chunks, answer)
  return answer
}

function composeWhole(format: WireFormat): ReadyAnswer {
  const body = JSON.stringify(format.whole())
  const length = `content-length: ${Buffer.byteLength(body)}`
  const bytes = Buffer.from(`${headOf(format, ['content-type: application/json', length])}${body}`)
  return { bytes, parts: [bytes] }
}

/** Composes a stream. Each frame is a separate HTTP chunk. */
function composeStream(format: WireFormat, chunks: number): ReadyAnswer {
  const head = headOf(format, [
    'content-type: text/event-stream; charset=utf-8',
    'transfer-encoding: chunked',
  ])
  const framed = format
    .frames(chunks)
    .map(text => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    .map(
      (text, index, { length }) =>
        `${index === 0 ? head : ''}${text}${index === length - 1 ? '0\r\n\r\n' : ''}`,
    )
  const parts = framed.map(text => Buffer.from(text))
  return { bytes: Buffer.concat(parts), parts }
}

function headOf({ headers }: WireFormat, more: readonly string[]): string {
  return `${['HTTP/1.1 200 OK', ...headers, ...more].join('\r\n')}\r\n\r\n`
}
