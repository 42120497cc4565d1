import type { ChatCall } from '../../chat-adapter.ts'

/** The tool that a model without schemas of its own must call to give an answer in JSON; its arguments are the answer. */
export const answerToolName = 'give_answer'

/** Whether a call of a tool is the answer itself, to be shown as text. */
export function isAnswer(toolName: string, { entry, request }: ChatCall): boolean {
  return (
    toolName === answerToolName &&
    entry.chat.json.schema === 'tool' &&
    request.response_format?.type === 'json_schema'
  )
}
