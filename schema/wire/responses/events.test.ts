import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'
import type { ResponseEvent } from './events.ts'
import type { ResponseBody } from './response.ts'

/** What the SDK reads off the wire: `output_text` is its own, added after that; it knows fewer error codes, and no null usage. */
type WireResponse = Omit<OpenAI.Responses.Response, 'output_text' | 'error' | 'usage'> & {
  error: { code: string; message: string } | null
  usage: OpenAI.Responses.ResponseUsage | null
}
type OnTheWire<Event> = Event extends { response: OpenAI.Responses.Response }
  ? Omit<Event, 'response'> & { response: WireResponse }
  : Event

test('our shapes are what the OpenAI SDK expects: whole, and event by event', () => {
  expectTypeOf<ResponseBody>().toExtend<WireResponse>()
  expectTypeOf<ResponseEvent>().toExtend<OnTheWire<OpenAI.Responses.ResponseStreamEvent>>()
})
