import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type Api,
  type Body,
  type Exchange,
  Refusal,
  type Route,
  refuseWith,
  type ServerState,
  type SimulatorCall,
} from './exchange.ts'
import { parseJson } from './json.ts'
import { sendWhole } from './send.ts'

const maxBodyBytes = 100 * 1024 * 1024
const noBody: Body = { bytes: Buffer.alloc(0), json: undefined }

export interface ListenOptions {
  /** The default 0 picks a free port. */
  readonly port?: number | undefined
  readonly host?: string | undefined
}

export interface RunningServer {
  readonly url: string
  /** Stops listening and closes every open connection. */
  close(): Promise<void>
}

/** Serves the APIs, and `GET /readyz`. */
export async function listen<State extends ServerState>(
  state: State,
  apis: readonly Api<State>[],
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<RunningServer> {
  const served = [...apis, readiness]
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    answer(state, served, { request, response }).catch(error => {
      console.error(error)
      response.destroy()
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://${host}:${typeof address === 'object' && address ? address.port : port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Answers `/readyz`, and paths that belong to no API. */
const readiness: Api<ServerState> = {
  prefix: '/',
  routes: [{ method: 'GET', path: '/readyz', handle: (_, exchange) => sendWhole(exchange, { body: {} }) }],
}

async function answer<State extends ServerState>(
  state: State,
  apis: readonly Api<State>[],
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const [path = '', ...query] = url.split('?')
  const { api, route, params } = findRoute(apis, method, path)
  const received = await readBody(request)
  if (received === 'disconnected') return
  const body = received === 'too large' ? noBody : received
  const id = ++state.requestCount
  const call = state.settings.record ? recordCall(state, { request, response, body }) : undefined
  const exchange: Exchange = {
    ...{ id, request, response, path, params, body, call },
    query: new URLSearchParams(query.join('?')),
  }
  try {
    if (received === 'too large') throw api.refuseTooLarge?.() ?? refuseWith(413, 'The body exceeds 100 MB.')
    if (!route) throw api.refuseUnknown?.(method, path) ?? refuseUnknown(method, path)
    await route.handle(state, exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const headers = { ...api.presentHeaders?.(exchange), ...error.headers }
    await sendWhole(exchange, { status: error.status, headers, body: error.body })
  }
}

function refuseUnknown(method: string, path: string): Refusal {
  return refuseWith(404, `Not found: ${method} ${path}. The README lists the routes.`)
}

interface FoundRoute<State extends ServerState> {
  readonly api: Api<State>
  /** Undefined if the API has no such route. */
  readonly route?: Route<State>
  readonly params: Readonly<Record<string, string>>
}

/** Returns the first route that matches, or else the first API with the path's prefix. */
function findRoute<State extends ServerState>(
  apis: readonly Api<State>[],
  method: string,
  path: string,
): FoundRoute<State> {
  for (const api of apis) {
    for (const route of api.routes) {
      const params = route.method === method ? matchPath(route.path, path) : undefined
      if (params) return { api, route, params }
    }
  }
  return { api: apis.find(api => path.startsWith(api.prefix)) ?? readiness, params: {} }
}

/** Returns the decoded matches of a pattern's named groups, or undefined if the path does not match. */
function matchPath(pattern: string | RegExp, path: string): Record<string, string> | undefined {
  if (typeof pattern === 'string') return pattern === path ? {} : undefined
  const match = pattern.exec(path)
  if (!match) return undefined
  const groups = Object.entries(match.groups ?? {})
  return Object.fromEntries(groups.map(([name, text]) => [name, decode(text)]))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads a whole body. Resolves to `too large` above 100 MB, to `disconnected` if the client closes too early. */
function readBody(request: IncomingMessage): Promise<Body | 'too large' | 'disconnected'> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= maxBodyBytes) chunks.push(chunk)
      else resolve('too large')
    })
    request.on('end', () => resolve(parseBody(request, Buffer.concat(chunks))))
    request.on('close', () => resolve('disconnected'))
  })
}

function parseBody(request: IncomingMessage, bytes: Buffer): Body {
  const isJson = bytes.length > 0 && request.headers['content-type']?.includes('json')
  return { bytes, json: isJson ? parseJson(bytes.toString()) : undefined }
}

const maxCalls = 1000
const maxRecordedBytes = 256 * 1024 * 1024

/** Records a call, and its outcome when the response closes. Deletes the oldest calls above 1,000 calls or 256 MB. */
function recordCall(
  { clock, calls }: ServerState,
  { request, response, body }: Pick<Exchange, 'request' | 'response' | 'body'>,
): SimulatorCall {
  const { method = 'GET', url: path = '/', headers } = request
  const call: SimulatorCall = {
    ...{ at: clock.now(), method, path, headers },
    body: body.json ?? (body.bytes.length > 0 ? body.bytes.toString() : null),
    ...{ status: null, aborted: false, cut: false },
  }
  calls.push(call)
  let totalBytes = 0
  for (const recorded of calls) totalBytes += Number(recorded.headers['content-length'] ?? 0)
  while (calls.length > maxCalls || (totalBytes > maxRecordedBytes && calls.length > 1))
    totalBytes -= Number(calls.shift()?.headers['content-length'] ?? 0)
  response.once('close', () => {
    call.status = response.headersSent ? response.statusCode : null
    call.aborted = !response.writableFinished && !call.cut
  })
  return call
}
