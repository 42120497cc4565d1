import type { ChatChunk, ChatCompletion } from '../../schema/wire/chat.ts'

/** Whether an answer has anything in it; one that ended at its limit or was filtered has, whatever it shows. */
export function saysSomething({ choices }: ChatCompletion): boolean {
  return choices.some(
    ({ message, finish_reason: reason }) =>
      Boolean(message?.content || message?.refusal || message?.tool_calls?.length) || isMeaningful(reason),
  )
}

/** Whether a chunk ends an answer at its limit or in a filter. */
export function endsMeaningfully({ choices }: ChatChunk): boolean {
  return choices.some(choice => isMeaningful(choice.finish_reason))
}

/** Characters of answer in a chunk: text, refusal, tool names and arguments. */
export function countProduced({ choices }: ChatChunk): number {
  let count = 0
  for (const { delta } of choices) {
    count += (delta?.content?.length ?? 0) + (delta?.refusal?.length ?? 0)
    for (const call of delta?.tool_calls ?? []) {
      count += (call.function?.name?.length ?? 0) + (call.function?.arguments?.length ?? 0)
    }
  }
  return count
}

function isMeaningful(reason: string | null): boolean {
  return reason === 'length' || reason === 'content_filter'
}
