import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import querystring from 'node:querystring'
import { buffer } from 'node:stream/consumers'
import {
  type Answer,
  type Api,
  ConnectionCut,
  type Exchange,
  Refusal,
  refuseWith,
  type ServerState,
  type SimulatorCall,
} from './exchange.ts'
import { parseJson } from './json.ts'

export interface ListenOptions {
  /** The default 0 picks a free port. */
  readonly port?: number | undefined
  readonly host?: string | undefined
}

export interface RunningServer<State extends ServerState> {
  readonly url: string
  /** A live view of the latest 1,000 calls, oldest first. */
  readonly calls: readonly SimulatorCall[]
  /** Changes the given settings and keeps the others. */
  change(settings: Partial<State['settings']>): void
  /** Stops listening and closes every open connection. */
  close(): Promise<void>
}

/** Serves the APIs, and `GET /readyz`. */
export async function listen<State extends ServerState>(
  state: State,
  apis: readonly Api<State>[],
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<RunningServer<State>> {
  const ready: Api<State> = { routes: { 'GET /readyz': () => ({ body: {} }) } }
  const findRoute = openRouter([...apis, ready])
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    void respond(state, findRoute, { request, response })
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    calls: state.calls,
    change: settings => void Object.assign(state.settings, settings),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Returns a function that finds the first matching route, with the decoded parameters of its path. */
function openRouter<State extends ServerState>(apis: readonly Api<State>[]) {
  const routes = apis.flatMap(api =>
    Object.entries(api.routes).map(([route, handle]) => {
      const [method, pathname = ''] = route.split(' ')
      return { api, handle, method, pattern: new URLPattern({ pathname }) }
    }),
  )
  return (method: string, pathname: string) => {
    for (const route of routes) {
      const match = route.method === method && route.pattern.exec({ pathname })
      if (!match) continue
      const params = Object.entries(match.pathname.groups).map(([name, text]) => [
        name,
        querystring.unescape(text ?? ''),
      ])
      return { ...route, params: Object.fromEntries(params) }
    }
    return undefined
  }
}

async function respond<State extends ServerState>(
  state: State,
  findRoute: ReturnType<typeof openRouter<State>>,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const [path = '', query] = url.split(/\?(.*)/s)
  const bytes = await buffer(request).catch(() => undefined)
  if (!bytes) return // the client disconnected
  const route = findRoute(method, path)
  const closing = new AbortController()
  response.once('close', () => closing.abort())
  const exchange: Exchange = {
    ...{ id: ++state.requestCount, request, origin: `http://${headers.host}`, path, bytes },
    ...{ query: new URLSearchParams(query), params: route?.params ?? {}, signal: closing.signal },
    json: headers['content-type']?.includes('json') ? parseJson(bytes.toString()) : undefined,
  }
  const call = state.settings.record ? recordCall(state, exchange, response) : undefined
  try {
    const answer = await answerOf(() => {
      if (route) return route.handle(state, exchange)
      throw refuseWith(404, `Not found: ${method} ${path}. The README lists the routes.`)
    })
    const shared = route?.api.presentHeaders?.(exchange)
    await send(response, { ...answer, headers: { ...shared, ...answer.headers } }, exchange)
  } catch (error) {
    if (exchange.signal.aborted) return
    if (!(error instanceof ConnectionCut)) console.error(error)
    if (call) call.cut = true
    response.socket?.destroySoon() // after it has sent what is written
  }
}

/** Returns the answer of a handler, which can also be thrown. */
async function answerOf(handle: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

/** Sends an answer: whole, or frame by frame with back-pressure. */
async function send(response: ServerResponse, answer: Answer, { signal }: Exchange): Promise<void> {
  if (signal.aborted) return
  const { status = 200, body = '', frames } = answer
  const headers = { 'content-type': 'application/json', ...answer.headers }
  if (!frames) {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    response.writeHead(status, { 'content-length': bytes.length, ...headers }).end(bytes)
    return
  }
  response.writeHead(status, headers)
  for await (const frame of frames) {
    if (signal.aborted) return
    if (!response.write(frame)) await once(response, 'drain', { signal })
  }
  response.end()
}

const maxCalls = 1000

/** Records a call, and its outcome when the response closes. Deletes the oldest calls above 1,000. */
function recordCall(
  { clock, calls }: ServerState,
  { request, bytes, json }: Exchange,
  response: ServerResponse,
): SimulatorCall {
  const { method = 'GET', url: path = '/', headers } = request
  const call: SimulatorCall = {
    ...{ at: clock.now(), method, path, headers },
    body: json ?? (bytes.length > 0 ? bytes.toString() : null),
    ...{ status: null, aborted: false, cut: false },
  }
  if (calls.push(call) > maxCalls) calls.shift()
  response.once('close', () => {
    call.status = response.headersSent ? response.statusCode : null
    call.aborted = !response.writableFinished && !call.cut
  })
  return call
}
