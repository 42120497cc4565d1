import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Pool } from 'undici'

/** Sends the request to the upstream and its answer back, chunk by chunk, with backpressure. */
export async function passOn(upstream: Pool, context: Context): Promise<void> {
  const { req: request, res: response } = context
  const body = await readBody(request)
  context.respond = false
  upstream.dispatch(
    { method: 'POST', path: context.url, headers: headersOf(request), body },
    {
      onRequestStart(controller) {
        response.on('close', () => response.writableFinished || controller.abort(new Error('client left')))
      },
      onResponseStart(_controller, status, headers) {
        delete headers.connection
        delete headers['keep-alive']
        delete headers['transfer-encoding']
        response.writeHead(status, headers)
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError() {
        response.destroy()
      },
    },
  )
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const { 'content-type': type = 'application/json', authorization = '' } = request.headers
  return { 'content-type': type, authorization, accept: request.headers.accept ?? '*/*' }
}
