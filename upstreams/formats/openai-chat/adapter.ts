import type { ChatAdapter, Target } from '../../chat-adapter.ts'
import { streamWithoutFilterResults, withoutFilterResults } from '../../clouds/azure/azure-answers.ts'
import { buildRequest } from './build-request.ts'
import { openTranslator } from './open-translator.ts'
import { readAnswer } from './read-answer.ts'
import { readFailure } from './read-failure.ts'
import { relent } from './relent.ts'

/** The chat-completions wire format (vendor_a, and the vendors that speak it too). */
export const openaiChat: ChatAdapter = {
  buildRequest,
  readAnswer(body, call, target) {
    const answer = readAnswer(body, call)
    return isAzure(target) ? withoutFilterResults(answer) : answer
  },
  openTranslator(call, target) {
    const translator = openTranslator(call)
    return isAzure(target) ? streamWithoutFilterResults(translator) : translator
  },
  readFailure,
  relent,
}

function isAzure({ config }: Target): boolean {
  return typeof config?.endpoint === 'string'
}
