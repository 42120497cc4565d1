import type { Dispatcher } from 'undici'
import { Problem } from '../../schema/errors.ts'
import type { HttpRequest } from '../chat-adapter.ts'
import type { Cancellation } from '../http/cancellation.ts'
import { exchange, StartedTooLate, type Timeouts, type UpstreamAnswer } from '../http/exchange.ts'

/** Maximum number of starts of a call whose connection is ready too late. */
const maxStarts = 8

export interface StartOptions {
  timeouts: Timeouts
  limitBytes: number
  cancellation: Cancellation
  /**
   * Whether the call may be made, checked before the connection is chosen. `isAgain` is whether the same call was allowed
   * before, and its connection was ready too late.
   */
  mayCall?: ((isAgain: boolean) => boolean | Promise<boolean>) | undefined
  /** Whether the last permission is recent enough, when the connection is ready. */
  mayStart?: (() => boolean) | undefined
}

/**
 * Sends a request after `mayCall` has allowed it. If the connection was ready only after the permission had become too
 * old, calls `mayCall` again and sends the request on the open connection. Resolves to undefined if `mayCall` returns
 * false. Throws UpstreamFailure, the errors of `mayCall`, and `unavailable` if connections are always ready too late.
 */
export async function startCall(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: StartOptions,
): Promise<UpstreamAnswer | undefined> {
  for (let starts = 0; starts < maxStarts; starts++) {
    const may = options.mayCall ? options.mayCall(starts > 0) : true
    if (!(may instanceof Promise ? await may : may)) return undefined
    try {
      return await exchange(dispatcher, request, options)
    } catch (error) {
      if (!(error instanceof StartedTooLate)) throw error
    }
  }
  throw new Problem('unavailable', { retryAfterSeconds: 1, internal: 'connections are ready too late' })
}
