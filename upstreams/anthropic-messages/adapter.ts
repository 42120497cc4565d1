import type { ChatAdapter } from '../chat-adapter.ts'
import { openTranslator } from './answer/open-translator.ts'
import { readAnswer } from './answer/read-answer.ts'
import { readFailure } from './answer/read-failure.ts'
import { buildRequest } from './build-request.ts'

/** The Messages wire format (vendor_b), at the vendor's own address or through Bedrock. */
export const anthropicMessages: ChatAdapter = { buildRequest, readAnswer, openTranslator, readFailure }
