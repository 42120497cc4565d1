/** Much more than is ever told of it (`UpstreamFailure.of`), so that no secret in it is cut before it is blanked. */
const mostBytes = 16_384

/** What a vendor says in a body that is no JSON: its beginning. */
export function readText(body: Buffer): string {
  return body.toString('utf8', 0, mostBytes)
}
