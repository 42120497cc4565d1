import type { Problem } from '../../../schema/errors.ts'
import type { Protocol, RequestIdentity } from '../protocol.ts'
import { beginResponse, rootOf } from './answer/begin-response.ts'
import { readAnswer } from './answer/collect-answer.ts'
import { endingOf, endResponse } from './answer/end-response.ts'
import { openPresenter } from './answer/open-presenter.ts'
import { presentOutput } from './answer/present-output.ts'
import { buildChatRequest } from './request/build-chat-request.ts'
import { readAsked } from './request/read-asked.ts'
import { openSpelling, spellProblem } from './request/spell-parameter.ts'

/** `POST /v1/responses` (contract: Responses protocol): stateless, on every chat model. */
export const responses: Protocol = {
  route: 'responses',
  read(body) {
    const asked = readAsked(body)
    const spelling = openSpelling()
    const request = buildChatRequest(asked, { spelling })
    const spell = (problem: Problem) => spellProblem(spelling, problem)
    const namingOf = ({ requestId }: RequestIdentity) => ({ root: rootOf(requestId), names: asked.names })
    return {
      request,
      spell,
      presentWhole(completion, usage, identity) {
        const answer = readAnswer(completion)
        const output = presentOutput(answer, namingOf(identity), endingOf(answer).status)
        return endResponse(beginResponse(asked, identity), { answer, output, usage })
      },
      openPresenter: identity =>
        openPresenter(beginResponse(asked, identity), { naming: namingOf(identity), spell }),
    }
  },
}
