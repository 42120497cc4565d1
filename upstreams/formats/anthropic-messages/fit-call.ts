import { isRecord } from '../../../platform/is-record.ts'
import type { ChatCall, Target } from '../../chat-adapter.ts'
import { isMantle } from '../../clouds/bedrock/is-mantle.ts'
import { isCompilable } from './request/measure-schema.ts'

/**
 * The call with the model's flags as they are for this request, where the target leads. A schema is kept by a tool that
 * must be called at Bedrock's newer endpoint, which refuses `output_config.format` for every model, and where the vendor
 * cannot compile it: it is recursive, very wide, or open.
 */
export function fitCall(call: ChatCall, { baseUrl }: Pick<Target, 'baseUrl'>): ChatCall {
  const { chat } = call.entry
  if (chat.json.schema !== 'native' || call.request.response_format?.type !== 'json_schema') return call
  if (!isMantle(baseUrl) && mayCompile(call.request.response_format)) return call
  const json = { ...chat.json, schema: 'tool' as const }
  return { ...call, entry: { ...call.entry, chat: { ...chat, json } } }
}

/** What is no schema is told apart where the format is read. */
function mayCompile(format: object): boolean {
  const details: unknown = Reflect.get(format, 'json_schema')
  const schema = isRecord(details) ? details.schema : undefined
  return !isRecord(schema) || isCompilable(schema)
}
