import { Problem } from '../../../schema/errors.ts'
import type { Part } from '../wire.ts'

/** A call of the assistant's last turn, and its result once it came. */
export interface OpenCall {
  /** As the client knows it. */
  id: string
  name: string
  /** As the vendor knows it; earlier models know none. */
  vendorId?: string
  /** How errors name it. */
  at: string
  result?: Part[]
}

/** Notes the result of a call. Throws `invalid_request` where no call awaits it. */
export function takeResult(
  calls: OpenCall[],
  { id, at, result }: { id: string | undefined; at: string; result: Part[] },
): void {
  const param = `${at}.tool_call_id`
  if (!id) throw new Problem('missing_parameter', { param, message: `${param} is required.` })
  const call = calls.find(open => open.id === id && !open.result)
  if (!call) {
    const message = `No call before this message awaits a result: ${id}.`
    throw new Problem('invalid_request', { param, message })
  }
  call.result = result
}

/** Whether a result has come already, so that the turn of results has begun. */
export function hasResults(calls: readonly OpenCall[]): boolean {
  return calls.some(call => call.result)
}

/**
 * The results of all calls in the order of the calls, as one turn must hold them, with nothing else in it; and the
 * images among them, which follow in a turn of their own. Throws `invalid_request`, naming a call without its result.
 */
export function presentResults(calls: readonly OpenCall[]): { responses: Part[]; images: Part[] } {
  const images: Part[] = []
  const responses = calls.map(({ id, name, vendorId, at, result }): Part => {
    if (!result) {
      const message = `The call ${id} has no result: a message with this tool_call_id must follow it.`
      throw new Problem('invalid_request', { param: at, message })
    }
    images.push(...result.filter(part => part.inlineData))
    const text = result.flatMap(part => part.text ?? []).join('\n')
    return { functionResponse: { ...(vendorId && { id: vendorId }), name, response: { result: text } } }
  })
  return { responses, images }
}
