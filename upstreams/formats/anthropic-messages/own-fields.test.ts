import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { aChatEntry, assistant, result, user } from '../../../test/harness/a-chat-call.ts'
import { problemAt, thrownBy } from '../../../test/harness/a-refusal.ts'
import { translateMessages } from './messages.ts'

const { chat } = aChatEntry('vendor_b/lyric')
const turnsOf = (messages: Message[]) => translateMessages(messages, chat).turns

describe('fields of the Messages format that the canonical chat format lacks', () => {
  const thought = { type: 'thinking' as const, thinking: 'Hm.', signature: 'c2ln' }
  const hidden = { type: 'redacted_thinking' as const, data: 'eHg=' }

  it('thinking comes back before text and calls, as it was signed', () => {
    const thinking = { ...assistant('Let me see.', 'a'), thinking_blocks: [thought, hidden] }
    expect(turnsOf([user('?'), thinking, result('a')])[1]?.content).toEqual([
      thought,
      hidden,
      { type: 'text', text: 'Let me see.' },
      expect.objectContaining({ type: 'tool_use' }),
    ])
  })

  it('thinking without a signature, or without text and calls after it, is left out', () => {
    const unsigned = { ...assistant('Hi'), thinking_blocks: [{ ...thought, signature: '' }] }
    const silent = { ...assistant(''), thinking_blocks: [thought] }
    expect(turnsOf([user('?'), unsigned, user('So?')])[1]?.content).toEqual([{ type: 'text', text: 'Hi' }])
    expect(turnsOf([user('?'), silent, user('So?')])).toHaveLength(1)
  })

  it('a call that failed is an error', () => {
    const failed = { ...result('a', 'no such city'), is_error: true }
    expect(turnsOf([user('?'), assistant(null, 'a'), failed])[2]?.content).toEqual([
      expect.objectContaining({ type: 'tool_result', is_error: true }),
    ])
  })

  it.each([
    [
      { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
      { title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
    ],
    [
      { file_data: 'data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==' },
      { source: { type: 'text', media_type: 'text/plain', data: 'Grüße' } },
    ],
    [{ file_url: 'https://a.b/c.pdf' }, { source: { type: 'url', url: 'https://a.b/c.pdf' } }],
  ])('a file is a document: %j', (file, expected) => {
    const [turn] = turnsOf([user([{ type: 'file', file }])])
    expect(turn?.content).toEqual([{ type: 'document', ...expected }])
  })

  it.each([
    [{ file_id: 'file-1' }, 'messages[0].content[0].file', 'unsupported_parameter'],
    [{ file_url: 'http://a.b/c.pdf' }, 'messages[0].content[0].file', 'unsupported_parameter'],
    [{ file_data: 'aGk=' }, 'messages[0].content[0].file.file_data', 'invalid_request'],
    [{ file_data: 'data:video/mp4;base64,aGk=' }, 'messages[0].content[0].file.file_data', 'invalid_request'],
  ])('a file that is no document is refused: %j', (file, param, problem) => {
    expect(thrownBy(() => turnsOf([user([{ type: 'file', file }])]))).toEqual(problemAt(param, problem))
  })

  it('breakpoints of the cache stay on what they were set on, those in a result on the whole of it', () => {
    const cache_control = { type: 'ephemeral' as const }
    const marked = { type: 'text', text: 'x', cache_control }
    const { tool_calls: made } = assistant(null, 'a')
    const calls = made?.map(call => ({ ...call, cache_control }))
    const turns = turnsOf([
      user([marked, { type: 'text', text: 'y' }]),
      { ...assistant(null), tool_calls: calls },
      result('a', [marked, { type: 'text', text: 'y' }]),
      { ...user('z'), cache_control },
    ])
    expect(turns.flatMap(({ content }) => content)).toEqual([
      { type: 'text', text: 'x', cache_control },
      { type: 'text', text: 'y' },
      expect.objectContaining({ type: 'tool_use', cache_control }),
      expect.objectContaining({ type: 'tool_result', cache_control }),
      { type: 'text', text: 'z', cache_control },
    ])
  })
})
