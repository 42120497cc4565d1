import type { Problem } from '../../../schema/errors.ts'
import type { Protocol, RequestIdentity } from '../protocol.ts'
import { beginResponse, rootOf } from './answer/begin-response.ts'
import { readAnswer } from './answer/collect-answer.ts'
import { endingOf, endResponse } from './answer/end-response.ts'
import { openPresenter } from './answer/open-presenter.ts'
import { presentOutput } from './answer/present-output.ts'
import { buildChatRequest } from './request/build-chat-request.ts'
import { readAsked } from './request/read-asked.ts'
import { openParamNames, spellRequest } from './request/spell-request.ts'
import type { Offer } from './tools/read-tools.ts'

/** `POST /v1/responses` (contract: Responses protocol): stateless, on every chat model. */
export const responses: Protocol = {
  route: 'responses',
  read(body) {
    const asked = readAsked(body)
    const paramNames = openParamNames()
    const request = buildChatRequest(asked, { paramNames })
    const renameParam = (problem: Problem) => spellRequest(paramNames, problem)
    const namingOf = ({ requestId }: RequestIdentity) => ({ root: rootOf(requestId), names: asked.names })
    return {
      request,
      addedBytes: standInBytes(asked.offers),
      renameParam,
      presentWhole(completion, usage, identity) {
        const answer = readAnswer(completion)
        const output = presentOutput(answer, namingOf(identity), endingOf(answer).status)
        return endResponse(beginResponse(asked, identity), { answer, output, usage })
      },
      openPresenter: identity =>
        openPresenter(beginResponse(asked, identity), { naming: namingOf(identity), renameParam }),
    }
  },
}

/** Bytes of the functions that stand for tools which the client only named. */
function standInBytes(offers: Offer[]): number {
  let bytes = 0
  for (const { kind, tool } of offers) {
    if (kind !== 'function') bytes += Buffer.byteLength(JSON.stringify(tool))
  }
  return bytes
}
