import type { ChatAdapter } from '../../chat-adapter.ts'
import { openTranslator } from './answer/open-translator.ts'
import { readAnswer } from './answer/read-answer.ts'
import { readFailure } from './answer/read-failure.ts'
import { buildRequest } from './build-request.ts'

/** The Gemini wire format (vendor_c), at the vendor's own API or through Vertex. */
export const gemini: ChatAdapter = { buildRequest, readAnswer, openTranslator, readFailure }
