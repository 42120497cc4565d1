import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'
import type { ChatChunk, ChatCompletion, ChatRequest, ContentPart, Message, Tool } from './chat.ts'

/** The fields that a shape names, without the room it leaves for others. */
type Named<Shape> = { [Field in keyof Shape as string extends Field ? never : Field]: Shape[Field] }

test('whatever the OpenAI SDK can send is a request, field by field', () => {
  type Sent = OpenAI.ChatCompletionCreateParams
  const takes = (request: Sent): ChatRequest => request
  expectTypeOf(takes).returns.toEqualTypeOf<ChatRequest>()
  // No field that we name is one that the SDK does not know, but those that carry what other protocols say.
  expectTypeOf<Exclude<keyof ChatRequest, keyof Sent>>().toEqualTypeOf<'thinking'>()
  expectTypeOf<Sent['messages'][number]>().toExtend<Message>()
  expectTypeOf<OpenAI.ChatCompletionContentPart>().toExtend<ContentPart>()
  expectTypeOf<OpenAI.ChatCompletionTool>().toExtend<Tool>()
})

test('our whole answers are what the OpenAI SDK reads', () => {
  const reads = (completion: ChatCompletion): OpenAI.ChatCompletion => completion
  expectTypeOf(reads).returns.toEqualTypeOf<OpenAI.ChatCompletion>()
  expectTypeOf<Exclude<keyof Named<ChatCompletion>, keyof OpenAI.ChatCompletion>>().toBeNever()
})

test('our chunks are what the OpenAI SDK reads', () => {
  const reads = (chunk: ChatChunk): OpenAI.ChatCompletionChunk => chunk
  expectTypeOf(reads).returns.toEqualTypeOf<OpenAI.ChatCompletionChunk>()
  expectTypeOf<Exclude<keyof Named<ChatChunk>, keyof OpenAI.ChatCompletionChunk>>().toBeNever()
})
