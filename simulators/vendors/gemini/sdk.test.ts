import { ApiError, type GenerateContentParameters, GoogleGenAI } from '@google/genai'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: GoogleGenAI

beforeAll(async () => {
  simulator = await startSimulator()
  client = clientWith('sim-platform-key')
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

const clientWith = (apiKey: string) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${simulator.url}/gemini` } })
const model = 'prism-3-pro'
const functionDeclarations = [
  { name: 'get_weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  { name: 'now' },
]

async function stream(params: GenerateContentParameters) {
  const answers = []
  for await (const answer of await client.models.generateContentStream(params)) answers.push(answer)
  return answers
}

describe("the vendor's own client", () => {
  it('gets an answer, with its usage', async () => {
    const answer = await client.models.generateContent({
      model,
      contents: 'Hello there',
      config: { systemInstruction: 'Be kind.', temperature: 0.3, thinkingConfig: { thinkingBudget: 8 } },
    })
    expect(answer.text).toContain('read "Hello there"')
    const {
      promptTokenCount = 0,
      candidatesTokenCount = 0,
      thoughtsTokenCount,
      totalTokenCount,
    } = answer.usageMetadata ?? {}
    expect(thoughtsTokenCount).toBe(8)
    expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + 8)
  })

  it('gets the same streamed, with a usage that grows', async () => {
    const whole = await client.models.generateContent({ model, contents: 'say 9 words' })
    const answers = await stream({ model, contents: 'say 9 words' })
    expect(answers.map(answer => answer.text).join('')).toBe(whole.text)
    const counts = answers.map(answer => answer.usageMetadata?.candidatesTokenCount ?? 0)
    expect(counts).toEqual([...counts].sort((one, other) => one - other))
    expect(answers.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
    expect(answers.map(answer => answer.candidates?.[0]?.finishReason).filter(Boolean)).toEqual(['STOP'])
  })

  it('holds a chat with tools, whose signatures it keeps by itself', async () => {
    for (const isStreamed of [false, true]) {
      const chat = client.chats.create({ model, config: { tools: [{ functionDeclarations }] } })
      const send = async (message: Parameters<typeof chat.sendMessage>[0]['message']) => {
        if (!isStreamed) return [await chat.sendMessage({ message })]
        const answers = []
        for await (const answer of await chat.sendMessageStream({ message })) answers.push(answer)
        return answers
      }
      const calls = (await send('Weather in parallel?')).flatMap(answer => answer.functionCalls ?? [])
      expect(calls.map(call => call.name)).toEqual(['get_weather', 'now'])
      const results = calls.map(({ id, name }) => ({
        functionResponse: { id, name, response: { result: 'sunny' } },
      }))
      const answers = await send(results)
      expect(answers.map(answer => answer.text).join('')).toContain('The tools answered')
    }
  })

  it('gets JSON of a schema, several candidates, likelihoods', async () => {
    const answer = await client.models.generateContent({
      model,
      contents: 'Hello',
      config: {
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        candidateCount: 2,
        responseLogprobs: true,
        logprobs: 2,
      },
    })
    expect(answer.candidates).toHaveLength(2)
    for (const candidate of answer.candidates ?? []) {
      expect(JSON.parse(candidate.content?.parts?.[0]?.text ?? '')).toEqual({ a: expect.any(Number) })
      expect(candidate.logprobsResult?.topCandidates?.[0]?.candidates).toHaveLength(2)
    }
  })

  it('lists models, and shows one', async () => {
    const listed = []
    for await (const { name } of await client.models.list({ config: { queryBase: true } })) listed.push(name)
    expect(listed).toContain('models/prism-3-pro')
    expect(await client.models.get({ model: 'prism-9' })).toMatchObject({ name: 'models/prism-9' })
  })

  it('throws what it is refused with', async () => {
    const refused = clientWith('sim-bad').models.generateContent({ model, contents: 'Hello' })
    await expect(refused).rejects.toBeInstanceOf(ApiError)
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('API_KEY_INVALID'),
    })
    await expect(stream({ model: `${model}@error-frame`, contents: 'say 9 words' })).rejects.toThrow(
      'UNAVAILABLE',
    )
  })
})

describe('the cache', () => {
  const instruction = 'Be brief and kind. '.repeat(400)
  const cachedTokens = async (apiKey: string, contents: string, called = model) => {
    const config = { systemInstruction: instruction }
    const { usageMetadata } = await clientWith(apiKey).models.generateContent({
      model: called,
      contents,
      config,
    })
    return usageMetadata?.cachedContentTokenCount ?? 0
  }

  it('is implicit: a beginning seen before, by the same key and model alone', async () => {
    expect(await cachedTokens('sim-one', 'Hello')).toBe(0)
    expect(await cachedTokens('sim-one', 'Goodbye')).toBe(1792)
    expect(await cachedTokens('sim-two', 'Hello')).toBe(0)
    expect(await cachedTokens('sim-one', 'Hello', 'prism-3-flash')).toBe(0)
  })
})
