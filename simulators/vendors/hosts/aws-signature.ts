import type { IncomingHttpHeaders } from 'node:http'
import { AwsV4Signer } from 'aws4fetch'

interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array<ArrayBuffer>
}

/** The parts of an `Authorization: AWS4-HMAC-SHA256 …` header. */
interface Authorization {
  readonly accessKeyId: string
  readonly date: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

const pattern =
  /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([^/\s]+)\/([^/\s]+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/

export function parseAuthorization(text: string): Authorization | undefined {
  const [, accessKeyId, date, region, service, names, signature] = pattern.exec(text) ?? []
  if (!accessKeyId || !date || !region || !service || !names || !signature) return undefined
  return { accessKeyId, date, region, service, signedHeaders: names.split(';'), signature }
}

/** Calculates the signature of a request (AWS Signature Version 4) over the headers that the authorization names. */
export function signatureOf(
  { headers, ...request }: SignedRequest,
  { signedHeaders, ...authorization }: Authorization,
  secretAccessKey: string,
): Promise<string> {
  const signed = Object.fromEntries(signedHeaders.map(name => [name, String(headers[name] ?? '')]))
  const datetime = String(headers['x-amz-date'])
  const options = { ...request, ...authorization, secretAccessKey, headers: signed, datetime }
  return new AwsV4Signer({ ...options, allHeaders: true }).signature()
}
