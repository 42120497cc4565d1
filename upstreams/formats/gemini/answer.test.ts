import { describe, expect, it } from 'vitest'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
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

function failureOf(answer: unknown): UpstreamFailure {
  try {
    read(answer)
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  throw new Error('nothing failed')
}

describe('a whole answer', () => {
  it('is a chat.completion under the requested name of the model', () => {
    const answer = {
      ...candidate([{ text: 'Hel' }, { text: 'hm', thought: true }, { text: 'lo' }]),
      responseId: 'r1',
      modelVersion: 'prism-3-pro',
    }
    expect(read(answer).completion).toEqual({
      id: 'chatcmpl-r1',
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'vendor_c/prism-pro',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    })
  })

  it('has every choice under its own index', () => {
    const answer = {
      candidates: [
        { content: { parts: [{ text: 'a' }] }, finishReason: 'MAX_TOKENS' },
        { content: { parts: [{ text: 'b' }] }, finishReason: 'STOP', index: 1 },
      ],
    }
    expect(read(answer).completion.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual(
      [
        [0, 'length'],
        [1, 'stop'],
      ],
    )
  })

  it('has the likelihoods of its tokens', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'ü', logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'u', logProbability: -1 }] }],
    }
    expect(choiceOf(candidate([{ text: 'ü' }], 'STOP', { logprobsResult }))?.logprobs).toEqual({
      content: [
        {
          token: 'ü',
          logprob: -0.5,
          bytes: [195, 188],
          top_logprobs: [{ token: 'u', logprob: -1, bytes: [117] }],
        },
      ],
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
    ...[
      'SAFETY',
      'RECITATION',
      'LANGUAGE',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
    ].map(reason => [reason, 'content_filter']),
  ])('%s is %s', (reason, expected) => {
    expect(choiceOf(candidate([{ text: 'a' }], reason))?.finish_reason).toBe(expected)
    expect(choiceOf(candidate([], reason))?.finish_reason).toBe(expected)
  })

  const given = [
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'NO_IMAGE',
    'OTHER',
    'NEW_ONE',
  ]
  it.each(given)('%s is a failure without any text before, and an end with it', reason => {
    expect(failureOf(candidate([], reason, { finishMessage: 'because' }))).toMatchObject({
      kind: 'broken',
      message: `the model gave up: ${reason} because`,
    })
    expect(choiceOf(candidate([{ text: 'a' }], reason))?.finish_reason).toBe('stop')
    expect(choiceOf(candidate([calling()], reason))?.finish_reason).toBe('tool_calls')
  })

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
  expect(answer.completion.choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: '',
        refusal: 'The vendor blocked the prompt (SAFETY): too wild',
      },
      logprobs: null,
      finish_reason: 'content_filter',
    },
  ])
  expect(answer.usage).toMatchObject({ promptTokens: 9, completionTokens: 0 })
})

const usageOf = (usageMetadata: object | undefined) =>
  read({ ...candidate([{ text: 'a' }]), usageMetadata }).usage

it('usage counts thoughts with the answer, and what tools fed back with the prompt', () => {
  expect(
    usageOf({
      promptTokenCount: 100,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 20,
    }),
  ).toEqual({
    promptTokens: 105,
    cachedTokens: 60,
    cacheCreationTokens: 0,
    completionTokens: 27,
    reasoningTokens: 20,
  })
})

describe('what is no answer', () => {
  it.each([
    [[]],
    [{}],
    [{ candidates: [] }],
    [{ candidates: [null] }],
    [{ candidates: 5 }],
    ['text'],
    [null],
  ])('%j is a failure', answer => {
    expect(failureOf(answer).kind).toBe('broken')
  })

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
