import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { mintCallId, portableCallId, readCallId, withPortableIds } from './call-ids.ts'

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 3000 })
  .map(bytes => Buffer.from(bytes).toString('base64'))
const seal = fc.record({
  origin: fc.string(),
  vendorId: fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: undefined }),
  signature: fc.option(base64, { nil: undefined }),
})
const everyVendors = /^[a-zA-Z0-9_-]{1,40}$/

describe('a sealed id', () => {
  it('gives back what it carries, to its own origin', () => {
    fc.assert(
      fc.property(seal, given => {
        const id = mintCallId(given)
        expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
        const isSealed = given.vendorId !== undefined || given.signature !== undefined
        expect(readCallId(id, given.origin)).toEqual(isSealed ? given : undefined)
      }),
    )
  })

  it('keeps the signature from others, who may have the id', () => {
    const id = mintCallId({ origin: 'here', vendorId: 'fc1', signature: 'c2ln' })
    expect(readCallId(id, 'there')).toEqual({ origin: 'there', vendorId: 'fc1', signature: undefined })
  })

  it('does not carry what it could not give back exactly', () => {
    const id = mintCallId({ origin: 'here', signature: 'no base64!' })
    expect(readCallId(id, 'here')).toBeUndefined()
    expect(id).toMatch(everyVendors)
  })

  it('is another each time', () => {
    expect(mintCallId({ origin: 'here' })).not.toBe(mintCallId({ origin: 'here' }))
  })

  it.each([
    '',
    'call_1',
    'toolu_01',
    'call_0123456789abcdef0123456789abcdef',
    'call_0123456789abcdef0123456789abcdef-aa',
  ])('%j carries nothing', id => expect(readCallId(id, 'here')).toBeUndefined())
})

describe('a portable id', () => {
  it('is one that every vendor takes, the same for the same call, and another for another', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 100 }),
        fc.string({ minLength: 1, maxLength: 100 }),
        (one, other) => {
          expect(portableCallId(one)).toMatch(everyVendors)
          expect(portableCallId(one)).toBe(portableCallId(one))
          expect(portableCallId(one) === portableCallId(other)).toBe(one === other)
        },
      ),
    )
  })

  it('is the id itself where that is one, and a sealed one without its seal', () => {
    expect(portableCallId('toolu_01-D7')).toBe('toolu_01-D7')
    const id = mintCallId({ origin: 'here', signature: 'c2ln' })
    expect(portableCallId(id)).toBe(id.split('-')[0])
  })
})

describe('messages for another vendor', () => {
  it('lose their signatures, on the call and on its result alike', () => {
    const id = mintCallId({ origin: 'here', signature: 'c2ln' })
    const call = {
      id,
      type: 'function' as const,
      function: { name: 'now', arguments: '{}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    }
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: 'noon' },
    ]
    const plain = portableCallId(id)
    expect(withPortableIds(messages)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: plain, type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: plain, content: 'noon' },
    ])
    expect(messages[1]?.tool_calls).toEqual([call])
  })

  it('are the same list where there is nothing to strip', () => {
    const messages: Message[] = [{ role: 'user', content: 'Hi' }]
    expect(withPortableIds(messages)).toBe(messages)
  })
})
