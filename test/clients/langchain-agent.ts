import type { ChatAnthropic } from '@langchain/anthropic'
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import type { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import { z } from 'zod'

const weather = tool(async ({ city }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
})

/** A stream, put together again. */
export async function heard(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  return whole!
}

/** The usage of an answer. With `exactOptionalPropertyTypes`, LangChain's own type of it is always undefined. */
export const usageOf = ({ usage_metadata }: { usage_metadata?: UsageMetadata | undefined }) => usage_metadata

/** A talk of an agent with a model that has the weather as a tool. */
export interface Talk {
  /** Of the last answer: what was said, and what it took. */
  last: AIMessageChunk
  /** Says one thing more; resolves with the answer. */
  goOn(words: string): Promise<AIMessageChunk>
}

/** An agent asks for the weather; the model calls its tool twice, and answers with what that said. */
export async function talkAboutWeather(
  bare: ChatOpenAI | ChatAnthropic,
  how: 'whole' | 'streamed',
): Promise<Talk> {
  const model = bare.bindTools([weather])
  const ask = async (conversation: BaseMessage[]) =>
    how === 'whole' ? model.invoke(conversation) : heard(await model.stream(conversation))
  const messages: BaseMessage[] = [new HumanMessage('How is the weather? Ask in parallel.')]
  const first = await ask(messages)
  expect(first.tool_calls?.map(call => call.args)).toEqual([
    { city: expect.stringMatching(/./) },
    { city: expect.stringMatching(/./) },
  ])
  messages.push(first)
  for (const call of first.tool_calls ?? []) {
    messages.push(await weather.invoke({ ...call, type: 'tool_call' as const }))
  }
  const last = await ask(messages)
  expect(last.text).toMatch(/sunny in .* and .*sunny in/)
  return { last, goOn: words => ask([...messages, last, new HumanMessage(words)]) }
}
