import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { recordCall } from '../calls/record-call.ts'
import type { Simulator } from '../simulator.ts'
import type { Exchange, WireFormat } from './exchange.ts'
import { type FoundRoute, tabulateRoutes } from './find-route.ts'
import { readBody } from './read-body.ts'
import { Refusal } from './refusal.ts'
import { sendWhole } from './send-whole.ts'

const noQuery = new URLSearchParams()

/** The listener of the simulator's server: finds the route, reads the body, notes the call, answers. */
export function answerRequests(simulator: Simulator, formats: readonly WireFormat[]): RequestListener {
  const findRoute = tabulateRoutes(formats)
  return (request, response) => {
    const url = request.url ?? '/'
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const query = cut < 0 ? noQuery : new URLSearchParams(url.slice(cut + 1))
    const found = findRoute(request.method ?? 'GET', path)
    answer(simulator, found, { request, response, path, query }).catch(error => {
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

async function answer(simulator: Simulator, found: FoundRoute, arrival: Arrival): Promise<void> {
  const { format, route, params } = found
  const body = await readBody(arrival.request)
  if (body === 'gone') return
  const received = body === 'too large' ? { bytes: Buffer.alloc(0), json: undefined } : body
  const isRecorded = simulator.settings.record && format.isRecorded !== false
  const id = ++simulator.requestCount
  const call = isRecorded ? recordCall(simulator, { id, ...arrival, body: received }) : undefined
  const exchange: Exchange = { id, ...arrival, params, body: received, call }
  try {
    if (body === 'too large') throw format.refuseTooLarge()
    if (!route) throw format.refuseUnknown(arrival.request.method ?? 'GET', arrival.path)
    await route.handle(simulator, exchange)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const headers = { ...format.presentHeaders(exchange), ...error.headers }
    await sendWhole(exchange, { status: error.status, headers, body: JSON.stringify(error.body) })
  }
}
