import { createAnthropic as anthropic5 } from 'ai-anthropic-v2'
import { createAnthropic as anthropic6 } from 'ai-anthropic-v3'
import { createOpenAI as openai5 } from 'ai-openai-v2'
import { createOpenAI as openai6 } from 'ai-openai-v3'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { chatModels } from './chat-models.ts'
import { collect } from './collect.ts'
import { theCustomer } from './the-customer.ts'

const { system, client } = theCustomer()

const weather = {
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }) => `sunny in ${city}`,
}

const request = {
  prompt: 'How is the weather? Ask in parallel.',
  tools: { weather },
  maxRetries: 0,
  maxOutputTokens: 1_000,
  providerOptions: { openai: { store: false } }, // version 5 refers to calls by their ids otherwise
  onError: () => {},
}

const protocols = ['messages', 'responses', 'chat'] as const

/** An agent that asks for the weather. Resolves to its last answer. */
interface Agent {
  ask(protocol: (typeof protocols)[number], name: string): Promise<string>
  /** The same over a stream. Throws an error that the stream reports. */
  stream(protocol: (typeof protocols)[number], name: string): Promise<string>
}

const agent5: Agent = {
  async ask(protocol, name) {
    const { text } = await ai5.generateText(request5(protocol, name))
    return text
  },
  async stream(protocol, name) {
    const result = ai5.streamText(request5(protocol, name))
    for (const part of await collect(result.fullStream)) if (part.type === 'error') throw part.error
    return result.text
  },
}

function request5(protocol: (typeof protocols)[number], name: string) {
  const settings = { apiKey: client.text, baseURL: system.baseURL }
  const model = protocol === 'messages' ? anthropic5(settings)(name) : openai5(settings)[protocol](name)
  return { ...request, model, stopWhen: ai5.stepCountIs(5) }
}

const agent6: Agent = {
  async ask(protocol, name) {
    const { text } = await ai6.generateText(request6(protocol, name))
    return text
  },
  async stream(protocol, name) {
    const result = ai6.streamText(request6(protocol, name))
    for (const part of await collect(result.fullStream)) if (part.type === 'error') throw part.error
    return result.text
  },
}

function request6(protocol: (typeof protocols)[number], name: string) {
  const settings = { apiKey: client.text, baseURL: system.baseURL }
  const model = protocol === 'messages' ? anthropic6(settings)(name) : openai6(settings)[protocol](name)
  return { ...request, model, stopWhen: ai6.stepCountIs(5) }
}

const agents: [string, Agent][] = [
  ['AI SDK 5', agent5],
  ['AI SDK 6', agent6],
]
const cases = agents.flatMap(([version, agent]) =>
  protocols.flatMap(protocol => chatModels.map(name => [version, protocol, name, agent] as const)),
)

test.each(cases)(
  '%s over %s: an agent on %s calls tools, whole and streamed',
  async (_, protocol, name, agent) => {
    expect(await agent.ask(protocol, name)).toMatch(/sunny in .* and .*sunny in /)
    expect(await agent.stream(protocol, name)).toMatch(/sunny in .* and .*sunny in /)
  },
)
