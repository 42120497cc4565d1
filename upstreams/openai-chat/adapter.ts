import type { ChatAdapter } from '../chat-adapter.ts'
import { buildRequest } from './build-request.ts'
import { openTranslator } from './open-translator.ts'
import { readAnswer } from './read-answer.ts'
import { readFailure } from './read-failure.ts'

/** The chat-completions wire format (vendor_a, and the vendors that speak it too). */
export const openaiChat: ChatAdapter = { buildRequest, readAnswer, openTranslator, readFailure }
