import { isRecord } from '../../../../platform/is-record.ts'
import { UpstreamFailure } from '../../../upstream-failure.ts'
import { parseJson } from './parse-json.ts'

/** What a vendor sent, as a JSON object. Throws `broken` when it is none. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text)
    if (isRecord(value)) return value
  } catch {
    // said below
  }
  throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
}
