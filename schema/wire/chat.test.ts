import type OpenAI from 'openai'
import { expectTypeOf, test } from 'vitest'
import type { ChatChunk, ChatCompletion, ChatRequest, ContentPart, Message, Tool } from './chat.ts'

/** A shape without its index signature. */
type Declared<Shape> = { [Field in keyof Shape as string extends Field ? never : Field]: Shape[Field] }

test("ChatRequest accepts every field of the OpenAI SDK's request", () => {
  type Sent = OpenAI.ChatCompletionCreateParams
  const accept = (request: Sent): ChatRequest => request
  expectTypeOf(accept).returns.toEqualTypeOf<ChatRequest>()
  // Every declared field exists in the SDK, except fields of other protocols.
  expectTypeOf<Exclude<keyof ChatRequest, keyof Sent>>().toEqualTypeOf<'thinking'>()
  expectTypeOf<Sent['messages'][number]>().toExtend<Message>()
  expectTypeOf<OpenAI.ChatCompletionContentPart>().toExtend<ContentPart>()
  expectTypeOf<OpenAI.ChatCompletionTool>().toExtend<Tool>()
})

test("ChatCompletion matches the OpenAI SDK's type", () => {
  const parse = (completion: ChatCompletion): OpenAI.ChatCompletion => completion
  expectTypeOf(parse).returns.toEqualTypeOf<OpenAI.ChatCompletion>()
  expectTypeOf<Exclude<keyof Declared<ChatCompletion>, keyof OpenAI.ChatCompletion>>().toBeNever()
})

test("ChatChunk matches the OpenAI SDK's type", () => {
  const parse = (chunk: ChatChunk): OpenAI.ChatCompletionChunk => chunk
  expectTypeOf(parse).returns.toEqualTypeOf<OpenAI.ChatCompletionChunk>()
  expectTypeOf<Exclude<keyof Declared<ChatChunk>, keyof OpenAI.ChatCompletionChunk>>().toBeNever()
})
