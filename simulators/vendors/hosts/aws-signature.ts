import type { IncomingHttpHeaders } from 'node:http'
import { AwsV4Signer } from 'aws4fetch'

interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array<ArrayBuffer>
}

const pattern =
  /^AWS4-HMAC-SHA256 Credential=(?<accessKeyId>[^/\s]+)\/(?<date>\d{8})\/(?<region>[^/\s]+)\/(?<service>[^/\s]+)\/aws4_request, ?SignedHeaders=(?<names>[\w;-]+), ?Signature=(?<signature>[0-9a-f]{64})$/

/** Parses an `Authorization: AWS4-HMAC-SHA256 …` header. All parts of an invalid one are empty. */
export function parseAuthorization(text: string) {
  const groups = pattern.exec(text)?.groups ?? {}
  const { accessKeyId = '', date = '', region = '', service = '', names = '', signature = '' } = groups
  return { accessKeyId, date, region, service, signedHeaders: names.split(';'), signature }
}

/** Calculates the signature of a request (AWS Signature Version 4) over the headers that the authorization names. */
export function signatureOf(
  { headers, ...request }: SignedRequest,
  { signedHeaders, ...authorization }: ReturnType<typeof parseAuthorization>,
  secretAccessKey: string,
): Promise<string> {
  const signed = Object.fromEntries(signedHeaders.map(name => [name, String(headers[name] ?? '')]))
  const datetime = String(headers['x-amz-date'])
  const options = { ...request, ...authorization, secretAccessKey, headers: signed, datetime }
  return new AwsV4Signer({ ...options, allHeaders: true }).signature()
}
