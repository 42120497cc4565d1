import type { OutgoingHttpHeaders } from 'node:http'

/** An answer that is an error, its body already in the words of one vendor. Thrown by handlers. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders

  constructor({
    status,
    body,
    headers = {},
  }: { status: number; body: unknown; headers?: OutgoingHttpHeaders }) {
    super(`refused with ${status}`)
    this.name = 'Refusal'
    this.status = status
    this.body = body
    this.headers = headers
  }
}
