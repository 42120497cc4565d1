import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
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
  const served = [...apis, readiness]
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    answer(state, served, { request, response }).catch(error => {
      console.error(error)
      response.destroy()
    })
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

const readiness: Api<ServerState> = {
  routes: [{ method: 'GET', path: '/readyz', handle: (_, exchange) => sendWhole(exchange, { body: {} }) }],
}

async function answer<State extends ServerState>(
  state: State,
  apis: readonly Api<State>[],
  { request, response }: Pick<Exchange, 'request' | 'response'>,
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const [path = '', ...query] = url.split('?')
  const bytes = await buffer(request).catch(() => undefined)
  if (!bytes) return // the client disconnected
  const { api, route, params } = findRoute(apis, method, path)
  const isJson = bytes.length > 0 && request.headers['content-type']?.includes('json')
  const body: Body = { bytes, json: isJson ? parseJson(bytes.toString()) : undefined }
  const id = ++state.requestCount
  const call = state.settings.record ? recordCall(state, { request, response, body }) : undefined
  const exchange: Exchange = {
    ...{ id, request, response, path, params, body, call },
    query: new URLSearchParams(query.join('?')),
  }
  try {
    if (!route) throw refuseWith(404, `Not found: ${method} ${path}. The README lists the routes.`)
    await route.handle(state, exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const headers = { ...api?.presentHeaders?.(exchange), ...error.headers }
    await sendWhole(exchange, { status: error.status, headers, body: error.body })
  }
}

interface FoundRoute<State extends ServerState> {
  readonly api?: Api<State>
  /** Undefined if no API has such a route. */
  readonly route?: Route<State>
  readonly params: Readonly<Record<string, string>>
}

/** Returns the first route that matches, with the decoded matches of its pattern's named groups. */
function findRoute<State extends ServerState>(
  apis: readonly Api<State>[],
  method: string,
  path: string,
): FoundRoute<State> {
  for (const api of apis) {
    for (const route of api.routes) {
      const match = new RegExp(route.path).exec(path)
      if (route.method !== method || match?.[0] !== path) continue
      const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)])
      return { api, route, params: Object.fromEntries(params) }
    }
  }
  return { params: {} }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const maxCalls = 1000

/** Records a call, and its outcome when the response closes. Deletes the oldest calls above 1,000. */
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
  if (calls.push(call) > maxCalls) calls.shift()
  response.once('close', () => {
    call.status = response.headersSent ? response.statusCode : null
    call.aborted = !response.writableFinished && !call.cut
  })
  return call
}
