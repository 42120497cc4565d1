import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body } from '../server/read-body.ts'
import type { Simulator } from '../simulator.ts'
import { addCall, type SimulatorCall } from './call-log.ts'

/** Notes a call and, when its response closes, whether it was finished or left by the client. */
export function recordCall(
  simulator: Simulator,
  {
    id,
    request,
    response,
    body,
  }: { id: number; request: IncomingMessage; response: ServerResponse; body: Body },
): SimulatorCall {
  const call: SimulatorCall = {
    id,
    at: simulator.clock.now(),
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    body: body.json ?? (body.bytes.length > 0 ? body.bytes.toString() : null),
    status: null,
    frames: 0,
    finished: false,
    aborted: false,
    cut: false,
  }
  addCall(simulator.calls, call, body.bytes.length)
  response.once('close', () => {
    call.status = response.headersSent ? response.statusCode : null
    call.finished = response.writableFinished && !call.cut
    call.aborted = !call.finished && !call.cut
  })
  return call
}
