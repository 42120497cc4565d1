import { openCheck } from '../../../../domain/inference/open-check.ts'
import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import { ResponsesRequest } from '../../../../schema/wire/responses/request.ts'

const check = openCheck(ResponsesRequest)

/**
 * A body as a request of the Responses protocol (contract: Responses protocol). What its lists hold is checked where
 * it is read. Throws `previous_response_not_found`, `unsupported_parameter`, `missing_parameter`, `invalid_request`.
 */
export function parseRequest(body: unknown): ResponsesRequest {
  refuseState(body)
  return check(body)
}

/** Answering without what the client believes to be stored here would answer another question. */
function refuseState(body: unknown): void {
  if (!isRecord(body)) return
  if (body.previous_response_id != null) {
    throw new Problem('previous_response_not_found', { param: 'previous_response_id' })
  }
  for (const param of ['conversation', 'prompt']) {
    if (body[param] == null) continue
    const message = `${param} is not supported: nothing is stored here. Send the full input with every turn.`
    throw new Problem('unsupported_parameter', { param, message })
  }
}
