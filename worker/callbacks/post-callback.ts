import { Agent, request } from 'undici'
import { tryTimeoutMs } from '../../domain/callbacks/claim-deliveries.ts'
import { readRetryAfter, type TryResult } from '../../domain/callbacks/retry-schedule.ts'
import type { PostCallback } from '../../domain/callbacks/send-delivery.ts'
import { explainError } from '../../upstreams/http/exchange.ts'
import { guardedConnector } from '../../upstreams/http/guard-address.ts'

/** Maximum number of bytes of a response that are read and stored. */
const maxAnswerBytes = 1024

/** Maximum size of a response with its headers, in bytes. A longer one ends the connection. */
const maxResponseBytes = 1 << 20

/** Connections to one host, over all accounts. */
const connectionsPerHost = 50

/**
 * Opens the connections to receivers of callbacks: only to public addresses, over TLS (docs/callbacks.md). Redirects are
 * not followed. Closing aborts the calls in progress.
 */
export function openPoster({
  allowLoopback,
  timeoutMs = tryTimeoutMs,
}: {
  allowLoopback: boolean
  timeoutMs?: number
}): {
  post: PostCallback
  close(): Promise<void>
} {
  const dispatcher = new Agent({
    connect: guardedConnector({ allowLoopback, timeoutMs, maxResponseBytes }),
    connections: connectionsPerHost,
    headersTimeout: 0, // `signal` covers the whole try
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
  })
  return {
    async post({ url, headers, body }) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const answer = await request(url, { dispatcher, method: 'POST', headers, body, signal })
        return await resultOf(answer)
      } catch (error) {
        return { error: reasonOf(error, timeoutMs) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

async function resultOf({
  statusCode,
  headers,
  body,
}: Awaited<ReturnType<typeof request>>): Promise<TryResult> {
  const isRedirect = statusCode >= 300 && statusCode < 400
  const retryAfter = headers['retry-after']
  return {
    status: statusCode,
    answer: await readStart(body),
    ...(isRedirect && { error: 'redirects are not followed' }),
    ...(typeof retryAfter === 'string' && { retryAfterMs: readRetryAfter(retryAfter, Date.now()) }),
  }
}

/** Reads the first bytes of a response, as text. The status counts even if the body does not arrive in time. */
async function readStart(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.length
      if (size >= maxAnswerBytes) break // which destroys the rest
    }
  } catch {
    // The part that has arrived is enough.
  }
  const text = Buffer.concat(parts).subarray(0, maxAnswerBytes).toString()
  return text.replaceAll('\0', '\ufffd')
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the connection to the receiver failed'
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`
  return explainError(error, 'receiver')
}
