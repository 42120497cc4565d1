import type { Message } from '../../../schema/wire/chat.ts'
import { readArguments } from '../../request/read-arguments.ts'
import { requireFunction } from '../../request/require-function.ts'
import type { CallBlock } from '../wire.ts'
import { awaitResult, type OpenCalls } from './match-calls.ts'
import { requireToolName } from './require-tool-name.ts'

/** The calls that an assistant made; what other vendors hang on to them is left out. Throws `invalid_request`. */
export function translateCalls({ tool_calls: made }: Message, at: string, calls: OpenCalls): CallBlock[] {
  return (made ?? []).map((call, index) => {
    const place = `${at}.tool_calls[${index}]`
    const { name, arguments: text } = requireFunction(call, place).function
    return {
      type: 'tool_use',
      id: awaitResult(calls, { id: call.id, at: place }),
      name: requireToolName(name, `${place}.function.name`),
      input: readArguments(text, place),
    }
  })
}
