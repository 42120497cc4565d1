import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { recordCall } from './calls.ts'
import { type Api, type Body, type Exchange, Refusal, type Route, type ServerState } from './exchange.ts'
import { parseJson } from './json.ts'
import { sendWhole } from './send.ts'

const maxBytes = 100 * 1024 * 1024
const noBody: Body = { bytes: Buffer.alloc(0), json: undefined }
const noQuery = new URLSearchParams()
const noParams = {}

/** The listener of a simulator's server: finds the route, reads the body, records the call, answers. */
export function serve<State extends ServerState>(state: State, apis: readonly Api<State>[]): RequestListener {
  const findRoute = tabulateRoutes(apis)
  return (request, response) => {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const query = cut < 0 ? noQuery : new URLSearchParams(url.slice(cut + 1))
    const found = findRoute(request.method ?? 'GET', path)
    answer(state, found, { request, response, path, query }).catch(error => {
      console.error(error)
      response.destroy()
    })
  }
}

interface Arrival {
  request: IncomingMessage
  response: ServerResponse
  path: string
  query: URLSearchParams
}

async function answer<State extends ServerState>(
  state: State,
  { api, route, params }: FoundRoute<State>,
  arrival: Arrival,
): Promise<void> {
  const received = await readBody(arrival.request)
  if (received === 'gone') return
  const body = received === 'too large' ? noBody : received
  const id = ++state.requestCount
  const isRecorded = state.settings.record && api.isRecorded !== false
  const call = isRecorded ? recordCall(state, { id, ...arrival, body }) : undefined
  const exchange: Exchange = { id, ...arrival, params, body, call }
  try {
    if (received === 'too large') throw api.refuseTooLarge()
    if (!route) throw api.refuseUnknown(arrival.request.method ?? 'GET', arrival.path)
    await route.handle(state, exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const headers = { ...api.presentHeaders(exchange), ...error.headers }
    await sendWhole(exchange, { status: error.status, headers, body: JSON.stringify(error.body) })
  }
}

/** Reads a body to its end. `too large` past 100 MB; `gone` where the client left before the end. */
function readBody(request: IncomingMessage): Promise<Body | 'too large' | 'gone'> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    request.resume()
    return Promise.resolve(noBody)
  }
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= maxBytes) chunks.push(chunk)
      else resolve('too large')
    })
    request.on('end', () => resolve(parseBody(request, chunks)))
    request.on('close', () => resolve('gone'))
  })
}

function parseBody(request: IncomingMessage, chunks: Buffer[]): Body {
  const [first] = chunks
  if (!first) return noBody
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  const isJson = request.headers['content-type']?.includes('json') ?? false
  return { bytes, json: isJson ? parseJson(bytes.toString()) : undefined }
}

interface FoundRoute<State extends ServerState> {
  readonly api: Api<State>
  /** Undefined where the API has nothing at this address. */
  readonly route: Route<State> | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Makes the look-up of routes: exact paths by one look in a map, then patterns one by one. */
function tabulateRoutes<State extends ServerState>(apis: readonly Api<State>[]) {
  const exact = new Map<string, FoundRoute<State>>()
  const patterns: { api: Api<State>; route: Route<State>; pattern: RegExp }[] = []
  for (const api of apis) {
    for (const route of api.routes) {
      if (typeof route.path !== 'string') patterns.push({ api, route, pattern: route.path })
      else exact.set(`${route.method} ${route.path}`, { api, route, params: noParams })
    }
  }
  return (method: string, path: string): FoundRoute<State> => {
    const found = exact.get(`${method} ${path}`)
    if (found) return found
    for (const { api, route, pattern } of patterns) {
      const match = route.method === method ? pattern.exec(path) : null
      if (match) return { api, route, params: decodeParams(match.groups ?? noParams) }
    }
    return { api: apis.find(api => path.startsWith(api.prefix)) ?? noApi, route: undefined, params: noParams }
  }
}

function decodeParams(groups: Record<string, string | undefined>): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, text = ''] of Object.entries(groups)) {
    try {
      params[name] = decodeURIComponent(text)
    } catch {
      params[name] = text
    }
  }
  return params
}

/** Answers below no API's prefix. */
const noApi: Api<ServerState> = {
  prefix: '/',
  routes: [],
  presentHeaders: () => ({}),
  refuseUnknown: (method, path) =>
    new Refusal({ status: 404, body: { error: `The simulator has no ${method} ${path}: see its README.` } }),
  refuseTooLarge: () => new Refusal({ status: 413, body: { error: 'The body is too large.' } }),
}
