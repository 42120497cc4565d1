import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'
import type { ResponseBody, ResponseEvent } from './response.ts'

/**
 * A response before the SDK has parsed it: the SDK adds `output_text`, and its types know fewer error codes
 * and no null usage.
 */
type WireResponse = Omit<OpenAI.Responses.Response, 'output_text' | 'error' | 'usage'> & {
  error: { code: string; message: string } | null
  usage: OpenAI.Responses.ResponseUsage | null
}
type OnTheWire<Event> = Event extends { response: OpenAI.Responses.Response }
  ? Omit<Event, 'response'> & { response: WireResponse }
  : Event

test("ResponseBody and every ResponseEvent match the OpenAI SDK's types", () => {
  expectTypeOf<ResponseBody>().toExtend<WireResponse>()
  expectTypeOf<ResponseEvent>().toExtend<OnTheWire<OpenAI.Responses.ResponseStreamEvent>>()
})
