import type { ChatChunk } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatTranslator } from '../../chat-adapter.ts'

/** An answer of Azure without the results of its content filter. */
export function withoutFilterResults(answer: ChatAnswer): ChatAnswer {
  dropResults(answer.completion)
  for (const choice of answer.completion.choices) dropResults(choice)
  return answer
}

/** A stream of Azure without them; chunks that carried nothing else are left out. */
export function streamWithoutFilterResults(translator: ChatTranslator): ChatTranslator {
  return {
    read: event => translator.read(event).flatMap(trimChunk),
    end: () => translator.end().flatMap(trimChunk),
    get isFinished() {
      return translator.isFinished
    },
    get isOver() {
      return translator.isOver
    },
    get usage() {
      return translator.usage
    },
    get isUsageFinal() {
      return translator.isUsageFinal
    },
    thinks: undefined,
  }
}

function trimChunk(chunk: ChatChunk): ChatChunk[] {
  dropResults(chunk)
  for (const choice of chunk.choices) dropResults(choice)
  const choices = chunk.choices.filter(choice => choice.delta || choice.finish_reason)
  if (choices.length === 0) return []
  return [{ ...chunk, choices: choices.map(choice => ({ ...choice, delta: choice.delta ?? {} })) }]
}

function dropResults(holder: Record<string, unknown>): void {
  for (const name of Object.keys(holder)) {
    if (name.startsWith('content_filter_') || name === 'prompt_filter_results') delete holder[name]
  }
}
