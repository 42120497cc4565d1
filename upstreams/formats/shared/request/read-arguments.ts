import { parseJson } from '../../../../platform/http/parse-json.ts'
import { isRecord } from '../../../../platform/is-record.ts'

/**
 * The arguments of a call that the assistant made, as vendors want them who take no text: an object. None are `{}`.
 * What is no object, such as arguments that a token limit cut short, and what no body may be, is shown to the model as the text that it wrote:
 * the client cannot mend what is in its history, and the conversation must go on.
 */
export function readArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const parsed = parsedOf(text)
  if (isRecord(parsed)) return parsed
  return parsed === null ? {} : { unparsed_arguments: text }
}

/** By the bounds of a body: what nests deeper could not be written again. */
function parsedOf(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return undefined
  }
}
