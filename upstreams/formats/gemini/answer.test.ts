import { describe, expect, it } from 'vitest'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { thrownBy } from '../../../test/harness/a-refusal.ts'
import type { Target } from '../../targets.ts'
import { readCallId } from '../shared/call-ids.ts'
import { readAnswer } from './answer.ts'
import { originOf } from './calls.ts'

const target: Target = { vendor: 'vendor_c', baseUrl: 'https://a.b', apiKey: 'k' }
const callTo = (model: string) => aChatCall({ model })
const pro = callTo('vendor_c/prism-pro')

const read = (answer: unknown, call = pro) => readAnswer(Buffer.from(JSON.stringify(answer)), call, target)
const candidate = (parts: object[], finishReason = 'STOP', more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason, index: 0, ...more }],
})
const choiceOf = (answer: unknown, call = pro) => read(answer, call).completion.choices[0]
const calling = (args: object = {}, more: object = {}) => ({ functionCall: { name: 'now', args, ...more } })

const failureOf = (answer: unknown) => thrownBy(() => read(answer))

describe('a whole answer', () => {
  it('is a chat.completion under the requested name of the model', () => {
    const said = candidate([{ text: 'Hel' }, { text: 'hm', thought: true }, { text: 'lo' }])
    const message = { role: 'assistant', content: 'Hello', refusal: null }
    expect(read({ ...said, responseId: 'r1', modelVersion: 'prism-3-pro' }).completion).toEqual({
      ...{ id: 'chatcmpl-r1', object: 'chat.completion', created: expect.any(Number) },
      model: 'vendor_c/prism-pro',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    })
  })

  it('has every choice under its own index', () => {
    const answer = {
      candidates: [
        { content: { parts: [{ text: 'a' }] }, finishReason: 'MAX_TOKENS' },
        { content: { parts: [{ text: 'b' }] }, finishReason: 'STOP', index: 1 },
      ],
    }
    const ends = [
      { index: 0, finish_reason: 'length' },
      { index: 1, finish_reason: 'stop' },
    ]
    expect(read(answer).completion.choices).toMatchObject(ends)
  })

  it('has the likelihoods of its tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'ü', logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'u', logProbability: -1 }] }],
    }
    const top_logprobs = [{ token: 'u', logprob: -1, bytes: [117] }]
    expect(choiceOf(candidate([{ text: 'ü' }], 'STOP', { logprobsResult }))?.logprobs).toEqual({
      content: [{ token: 'ü', logprob: -0.5, bytes: [195, 188], top_logprobs }],
      refusal: null,
    })
  })
})

describe('calls of tools', () => {
  it('get ids that every vendor takes, the signature in them and beside them', () => {
    const parts = [
      { ...calling({ a: 1 }, { id: 'fc9' }), thoughtSignature: 'c2lnbg==' },
      calling({}, { id: 'fc10' }),
    ]
    const choice = choiceOf(candidate(parts))
    expect(choice).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' })
    const calls = choice?.message.tool_calls ?? []
    expect(calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{32}-[\w-]+$/),
        type: 'function',
        function: { name: 'now', arguments: '{"a":1}' },
        extra_content: { google: { thought_signature: 'c2lnbg==' } },
      },
      {
        id: expect.stringMatching(/^call_[0-9a-f]{32}-[\w-]+$/),
        type: 'function',
        function: { name: 'now', arguments: '{}' },
      },
    ])
    const origin = originOf(pro, target)
    expect(calls.map(({ id }) => readCallId(id, origin))).toEqual([
      { origin, vendorId: 'fc9', signature: 'c2lnbg==' },
      { origin, vendorId: 'fc10', signature: undefined },
    ])
  })

  it('of earlier models have plain ids', () => {
    const call = callTo('vendor_c/prism-lite')
    const choice = choiceOf(candidate([{ ...calling(), thoughtSignature: 'c2ln' }]), call)
    expect(choice?.message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
        type: 'function',
        function: { name: 'now', arguments: '{}' },
      },
    ])
  })

  it('keep the text beside them', () => {
    expect(choiceOf(candidate([{ text: 'I look.' }, calling()]))?.message.content).toBe('I look.')
  })
})

describe('why an answer ended', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY']
      .concat('IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION')
      .map(reason => [reason, 'content_filter']),
  ])('%s is %s', (reason, expected) => {
    expect(choiceOf(candidate([{ text: 'a' }], reason))?.finish_reason).toBe(expected)
    expect(choiceOf(candidate([], reason))?.finish_reason).toBe(expected)
  })

  const calls = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']
  it.each([...calls, 'NO_IMAGE', 'OTHER', 'NEW_ONE'])(
    '%s is a failure without any text before, and an end with it',
    reason => {
      expect(failureOf(candidate([], reason, { finishMessage: 'because' }))).toMatchObject({
        kind: 'broken',
        message: `the model gave up: ${reason} because`,
      })
      expect(choiceOf(candidate([{ text: 'a' }], reason))?.finish_reason).toBe('stop')
      expect(choiceOf(candidate([calling()], reason))?.finish_reason).toBe('tool_calls')
    },
  )

  it('one choice that could not be made does not spoil the other', () => {
    const answer = {
      candidates: [
        { content: {}, finishReason: 'OTHER', index: 0 },
        { content: { parts: [{ text: 'b' }] }, finishReason: 'STOP', index: 1 },
      ],
    }
    expect(read(answer).completion.choices.map(choice => choice.finish_reason)).toEqual(['stop', 'stop'])
  })
})

it('a prompt that was blocked has an answer that says so, and counts', () => {
  const answer = read({
    promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'too wild' },
    usageMetadata: { promptTokenCount: 9 },
  })
  const refusal = 'The vendor blocked the prompt (SAFETY): too wild'
  const message = { role: 'assistant', content: '', refusal }
  expect(answer.completion.choices).toEqual([
    { index: 0, message, logprobs: null, finish_reason: 'content_filter' },
  ])
  expect(answer.usage).toMatchObject({ promptTokens: 9, completionTokens: 0 })
})

const usageOf = (usageMetadata: object | undefined) =>
  read({ ...candidate([{ text: 'a' }]), usageMetadata }).usage

it('usage counts thoughts with the answer, and what tools fed back with the prompt', () => {
  const prompt = { promptTokenCount: 100, toolUsePromptTokenCount: 5, cachedContentTokenCount: 60 }
  expect(usageOf({ ...prompt, candidatesTokenCount: 7, thoughtsTokenCount: 20 })).toEqual({
    ...{ promptTokens: 105, cachedTokens: 60, cacheCreationTokens: 0 },
    ...{ completionTokens: 27, reasoningTokens: 20 },
  })
})

describe('what is no answer', () => {
  it.each(['[]', '{}', '{"candidates":[]}', '{"candidates":[null]}', '{"candidates":5}', '"text"', 'null'])(
    '%s is a failure',
    answer => {
      expect(failureOf(JSON.parse(answer))).toMatchObject({ kind: 'broken' })
    },
  )

  it('an error under status 200 is that error', () => {
    expect(failureOf({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } })).toMatchObject({
      kind: 'busy',
      message: 'Overloaded',
    })
    expect(failureOf([{ error: { code: 500, message: 'Oh' } }])).toMatchObject({
      kind: 'broken',
      message: 'Oh',
    })
  })
})
