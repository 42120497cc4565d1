import { createHmac, hash } from 'node:crypto'

export interface SignedRequest {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The encoded query without its question mark. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** The parts of an `Authorization: AWS4-HMAC-SHA256 …` header. */
export interface Authorization {
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

/** Calculates the signature of a request (AWS Signature Version 4). The path is percent-encoded twice. */
export function signatureOf(request: SignedRequest, authorization: Authorization, secret: string): string {
  const { date, region, service } = authorization
  const scope = `${date}/${region}/${service}/aws4_request`
  const digest = hash('sha256', canonical(request, authorization))
  const text = ['AWS4-HMAC-SHA256', headerOf(request, 'x-amz-date'), scope, digest].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`))
  return hmac(key, text).toString('hex')
}

export function headerOf({ headers }: SignedRequest, name: string): string {
  return [headers[name] ?? ''].flat().join(',').trim().replace(/\s+/g, ' ')
}

function canonical(request: SignedRequest, { signedHeaders }: Authorization): string {
  const names = [...signedHeaders].sort()
  const headers = names.map(name => `${name}:${headerOf(request, name)}\n`).join('')
  const path = request.path.split('/').map(encode).join('/')
  const payload = headerOf(request, 'x-amz-content-sha256') || hash('sha256', request.body)
  return [request.method, path, canonicalQuery(request.query), headers, names.join(';'), payload].join('\n')
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.sort().join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
