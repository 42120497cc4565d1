import { describe, expect, it } from 'vitest'
import type { Message } from '../../../schema/wire/chat.ts'
import { printed } from '../../../test/conversations/printed.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { buildRequest } from './adapter.ts'

const target = { vendor: 'vendor_d', baseUrl: 'https://vendor.example/v1', apiKey: 'key' }
const salt = '<!-- cache partition rb-cache-token -->'
const texts = (...all: string[]) => all.map(text => ({ type: 'text', text }))
const hello: Message = { role: 'user', content: 'Hello' }

function bodyOf(fields: object) {
  return JSON.parse(printed(buildRequest(aChatCall({ model: 'vendor_d/quill', ...fields }), target).body))
}

describe('the salt of a vendor without partitions', () => {
  it('is its first system message, where the conversation has none', () => {
    expect(bodyOf({ messages: [hello] }).messages).toEqual([{ role: 'system', content: salt }, hello])
  })

  it.each<[what: string, content: Message['content'], salted: Message['content']]>([
    ['text', 'Be kind.', `${salt}\nBe kind.`],
    ['parts', texts('Be kind.'), texts(salt, 'Be kind.')],
    ['nothing', null, salt],
  ])('begins the one that opens it, of %s: many models take no second', (_what, content, salted) => {
    for (const role of ['system', 'developer']) {
      const { messages } = bodyOf({ messages: [{ role, content }, hello] })
      expect(messages).toEqual([{ role, content: salted }, hello])
    }
  })

  it('begins the tools too, which some write before the system text: right after the first name', () => {
    const parameters = { type: 'object', properties: {} }
    const tools = [
      { type: 'function', function: { parameters, description: 'The time.', name: 'now' } },
      { type: 'function', function: { name: 'today', parameters } },
    ]
    const [first, second] = bodyOf({ tools }).tools
    expect(JSON.stringify(first.function)).toMatch(`{"name":"now","description":"${salt}\\nThe time.",`)
    expect(second).toEqual(tools[1])
    const bare = { type: 'function', function: { name: 'now' } }
    expect(bodyOf({ tools: [bare] }).tools[0].function.description).toBe(salt)
  })

  it('begins the first tool of each kind, as a vendor may leave out custom tools', () => {
    const tools = [
      { type: 'custom', custom: { name: 'grep', description: 'Searches.' } },
      { type: 'custom', custom: { name: 'sed' } },
      { type: 'function', function: { name: 'now' } },
    ]
    const salted = bodyOf({ tools }).tools
    expect(salted[0].custom).toEqual({ name: 'grep', description: `${salt}\nSearches.` })
    expect(salted[2].function.description).toBe(salt)
    expect(salted[1]).toEqual(tools[1])
  })

  it('begins a function that also has the field of a custom tool', () => {
    const both = { type: 'function', function: { name: 'now' }, custom: { name: 'now' } }
    expect(bodyOf({ tools: [both] }).tools[0].function.description).toBe(salt)
  })

  it('goes alone: other vendors do not get what concerns an account at vendor_a', () => {
    const named = { prompt_cache_key: 'mine', user: 'ann', safety_identifier: 'ann' }
    const ofVendorA = { ...named, store: true, metadata: { a: 'b' }, service_tier: 'auto' }
    const body = bodyOf({ ...ofVendorA, top_k: 5 })
    for (const name in ofVendorA) expect(body).not.toHaveProperty(name)
    expect(body).toMatchObject({ top_k: 5 })
  })

  it('is none where the vendor has partitions', () => {
    const call = aChatCall({ model: 'vendor_a/atlas' })
    const body = printed(buildRequest(call, { ...target, vendor: 'vendor_a' }).body)
    expect(body).not.toContain('<!--')
    expect(JSON.parse(body)).toMatchObject({ prompt_cache_key: 'rb-cache-token', messages: [hello] })
  })
})
