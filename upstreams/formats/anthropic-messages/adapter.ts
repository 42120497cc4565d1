import type { ChatAdapter } from '../../chat-adapter.ts'
import { openTranslator } from './answer/open-translator.ts'
import { readAnswer } from './answer/read-answer.ts'
import { readFailure } from './answer/read-failure.ts'
import { buildRequest } from './build-request.ts'
import { fitCall } from './fit-call.ts'
import { relent } from './relent.ts'

/** The Messages wire format (vendor_b), at the vendor's own address or through Bedrock. */
export const anthropicMessages: ChatAdapter = {
  buildRequest,
  readAnswer: (body, call, target) => readAnswer(body, fitCall(call, target)),
  openTranslator: (call, target) => openTranslator(fitCall(call, target)),
  readFailure,
  relent,
}
