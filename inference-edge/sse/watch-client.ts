import type { ServerResponse } from 'node:http'
import { Line } from '../../upstreams/http/line.ts'

/**
 * The line from the client of `response` to its vendor: cut when the client leaves before its answer is complete.
 * With `stays` the vendor is heard out all the same.
 */
export function watchClient(response: ServerResponse, { stays = false } = {}): Line {
  const line = new Line()
  if (stays) return line
  response.once('close', () => {
    if (!response.writableFinished) line.cut()
  })
  return line
}
