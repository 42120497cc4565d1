import type { CustomFetchOptions } from 'openid-client'

/** Maximum size of a document of an issuer, in bytes: discovery, keys, tokens and claims. */
const maxDocumentBytes = 262_144

/** Timeout of a request to an issuer, including its response, in seconds. */
export const issuerTimeoutSeconds = 5

interface IssuerRequest {
  method: string
  headers?: RequestInit['headers']
  body?: CustomFetchOptions['body']
  signal?: AbortSignal | undefined
}

/**
 * Fetches a document of an issuer like `fetch`, but reads at most `maxDocumentBytes`. Private addresses are allowed,
 * because only operators configure issuers. Redirects are not followed. Throws if the document is larger.
 */
export async function boundedFetch(
  url: string,
  { method, headers, body, signal }: IssuerRequest,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: headers ?? {},
    body: body instanceof URLSearchParams ? body : null,
    signal: signal ?? null,
    redirect: 'manual',
  })
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > maxDocumentBytes) throw new Error(`The document has more than ${maxDocumentBytes} bytes`)
    parts.push(part)
  }
  const { status, statusText } = response
  return new Response(size > 0 ? Buffer.concat(parts) : null, {
    status,
    statusText,
    headers: response.headers,
  })
}
