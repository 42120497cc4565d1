import type { OutgoingHttpHeaders } from 'node:http'
import type { Fault } from '../faults/fault.ts'
import type { Exchange } from './exchange.ts'
import { cutConnection, writeFrames } from './send-stream.ts'

export interface WholeAnswer {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body: string | Uint8Array
  /** A body that no client can parse, for the fault `garbage`. */
  readonly brokenBody?: WholeAnswer['body']
  /** The vendor's error under status 200, for the fault `error-frame`. */
  readonly errorBody?: WholeAnswer['body']
  readonly fault?: Fault | undefined
}

/** Sends an answer in one piece, as wrongly as its fault says. It is JSON unless its headers say otherwise. */
export async function sendWhole(exchange: Exchange, answer: WholeAnswer): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault } = answer
  const body = spoilBody(answer)
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
  })
  if (fault?.name === 'cut') {
    response.write(Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2))
    cutConnection(exchange)
  } else if (fault?.name === 'trickle') {
    const bytes = Buffer.from(body)
    const pieces = Array.from({ length: 8 }, (_, index) => eighth(bytes, index))
    await writeFrames(exchange, pieces, { delayMs: fault.waitMs ?? 50 })
    response.end()
  } else {
    response.end(body)
  }
}

function spoilBody({ body, brokenBody = body, errorBody = body, fault }: WholeAnswer): WholeAnswer['body'] {
  if (fault?.name === 'garbage') return brokenBody
  if (fault?.name === 'error-frame') return errorBody
  return body
}

function eighth(bytes: Buffer, index: number): Buffer {
  return bytes.subarray((bytes.length * index) / 8, (bytes.length * (index + 1)) / 8)
}
