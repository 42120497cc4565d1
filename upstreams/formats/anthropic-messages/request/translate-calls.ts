import type { Message } from '../../../../schema/wire/chat.ts'
import { readArguments } from '../../shared/request/read-arguments.ts'
import { requireFunction } from '../../shared/request/require-function.ts'
import type { CallBlock } from '../wire.ts'
import { toMark } from './mark-cache.ts'
import { awaitResult, type OpenCalls } from './match-calls.ts'
import { requireToolName } from './require-tool-name.ts'

/** The calls that an assistant made; what other vendors hang on to them is left out. Throws `invalid_request`. */
export function translateCalls({ tool_calls: made }: Message, at: string, calls: OpenCalls): CallBlock[] {
  return (made ?? []).map((call, index) => {
    const place = `${at}.tool_calls[${index}]`
    const { name, arguments: text } = requireFunction(call, place).function
    const block: CallBlock = {
      type: 'tool_use',
      id: awaitResult(calls, { id: call.id, at: place }),
      name: requireToolName(name, `${place}.function.name`),
      input: readArguments(text),
    }
    if (call.cache_control) block.cache_control = toMark(call.cache_control)
    return block
  })
}
