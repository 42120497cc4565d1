import fc from 'fast-check'
import { aDataUri, aFile } from '../harness/media/media-files.ts'

/** A request with a body, and how its client sends it. */
export interface SentBody {
  path: string
  contentType: string
  body: Buffer
  framing: 'content-length' | 'chunked'
  /** The pieces in which the body is sent; between two of them the event loop makes a turn. */
  pieces: Buffer[]
  /** Whether the client disconnects after the last piece, which is then not the end of the body. */
  leaves: boolean
}

export const formType = 'multipart/form-data; boundary=x'

const content = fc.oneof(
  fc.constantFrom(aFile('png'), aFile('gif'), Buffer.from('1'), Buffer.from('vendor_a/mural-edit')),
  fc.constant(Buffer.concat([aFile('png'), Buffer.alloc(100_000)])),
  fc.uint8Array({ maxLength: 100 }).map(bytes => Buffer.from(bytes)),
)

const fieldName = fc.constantFrom(
  ...['file', 'image', 'image[]', 'image[0]', 'model', 'prompt', 'n', 'image_urls[]', 'picture'],
  ...['', '__proto__', 'constructor', 'x'.repeat(120)],
)

const disposition = fc
  .tuple(fieldName, fc.constantFrom('', '; filename="a.png"'))
  .map(([name, file]) => `content-disposition: form-data; name="${name}"${file}\r\n`)

const part = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: disposition },
      fc.constantFrom('', 'content-disposition: form-data\r\n'),
    ),
    fc.constantFrom('', 'content-type: image/png\r\n', 'content-type: é\r\n', 'x\r\n'),
    content,
  )
  .map(([name, type, bytes]) =>
    Buffer.concat([Buffer.from(`--x\r\n${name}${type}\r\n`), bytes, Buffer.from('\r\n')]),
  )

/** Any form with the boundary `x`, complete or truncated. */
export const anyForm = fc
  .tuple(fc.array(part, { maxLength: 5 }), fc.constantFrom('--x--\r\n', '--x--\r\n', '--x', '--x\r\nx', ''))
  .map(([parts, end]) => Buffer.concat([...parts, Buffer.from(end)]))

const json = fc
  .oneof(
    fc.json(),
    fc
      .constantFrom(aDataUri('png'), 'data:image/png;base64,', 'https://x')
      .map(file => JSON.stringify({ file })),
    fc.constant('{"model":"vendor_a/atlas","messages":[{"role":"user","content":"Hi"}]}'),
    fc.constantFrom('', '{"a":', '"\\', '{"__proto__":1}', '['.repeat(300)),
  )
  .map(text => Buffer.from(text))

const request = fc.oneof(
  fc.record({
    path: fc.constantFrom('/v1/uploads', '/v1/images/edits'),
    contentType: fc.constant(formType),
    body: anyForm,
  }),
  fc.record({
    path: fc.constant('/v1/uploads'),
    contentType: fc.constantFrom('image/png', 'application/octet-stream'),
    body: content,
  }),
  fc.record({
    path: fc.constantFrom('/v1/uploads', '/v1/images/edits', '/v1/chat/completions', '/v1/responses'),
    contentType: fc.constant('application/json'),
    body: json,
  }),
)

/** Any body on any inference route that reads one, sent in any pieces, also by clients that leave in the middle. */
export const anyBody = inPieces(request)

const graphJson = fc.oneof(
  json,
  fc
    .record({
      query: fc.oneof(fc.constantFrom('{ me { id } }', '{ __typename }', '{', 'query q', ''), fc.string()),
      variables: fc.oneof(fc.constant({ __proto__: null, input: {} }), fc.jsonValue()),
      operationName: fc.oneof(fc.constantFrom('q', '__proto__', null), fc.jsonValue()),
      extensions: fc.oneof(fc.constant({ persistedQuery: { version: 1, sha256Hash: 'x' } }), fc.jsonValue()),
    })
    .map(body => Buffer.from(JSON.stringify(body))),
  fc
    .constantFrom('[{"query":"{ me { id } }"}]', '\ufeff{}', '{"query":1}', `"${'x'.repeat(300_000)}"`)
    .map(Buffer.from),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
)

/** Any body on the routes of the management API. */
export const anyManagementBody = inPieces(
  fc.record({
    path: fc.constantFrom(
      ...['/graphql', '/graphql', '/api/v1/auth/refresh', '/api/v1/api-keys'],
      ...['/api/v1/byok', '/api/v1/billing/topup', '/api/v1/billing/alerts', '/api/v1/webhooks/stripe'],
    ),
    contentType: fc.constantFrom(
      ...['application/json', 'application/json', 'application/json; charset=utf-16', 'text/plain'],
      ...['application/x-www-form-urlencoded', formType, 'application/graphql', 'x'],
    ),
    body: fc.oneof({ weight: 4, arbitrary: graphJson }, anyForm),
  }),
)

function inPieces(
  form: fc.Arbitrary<Pick<SentBody, 'path' | 'contentType' | 'body'>>,
): fc.Arbitrary<SentBody> {
  return fc
    .record({
      request: form,
      framing: fc.constantFrom('content-length' as const, 'chunked' as const),
      /** Where the body is cut, in parts of its length. */
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
      leaves: fc.boolean(),
    })
    .map(({ request: sent, framing, cuts, leaves }) => {
      const pieces = piecesOf(sent.body, cuts)
      return { ...sent, framing, leaves, pieces: leaves ? pieces.slice(0, -1) : pieces }
    })
}

/** A form with one file of another field than the route knows, in small pieces. */
export const unknownFile: SentBody = {
  path: '/v1/uploads',
  contentType: formType,
  framing: 'chunked',
  ...inSmallPieces(
    Buffer.concat([
      Buffer.from('--x\r\ncontent-disposition: form-data; name="picture"; filename="a.png"\r\n\r\n'),
      Buffer.alloc(20_000),
      Buffer.from('\r\n--x--\r\n'),
    ]),
  ),
  leaves: false,
}

function inSmallPieces(body: Buffer) {
  return {
    body,
    pieces: piecesOf(
      body,
      Array.from({ length: 200 }, (_, cut) => cut / 200),
    ),
  }
}

function piecesOf(body: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts, 1].map(cut => Math.floor(cut * body.length)).sort((one, other) => one - other)
  return ends.map((end, index) => body.subarray(ends[index - 1] ?? 0, end))
}
