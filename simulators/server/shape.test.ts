import { expect, it } from 'vitest'
import { z } from 'zod'
import { Refusal } from './exchange.ts'
import type { Json } from './json.ts'
import { anyRecord, discriminatorOf, type Issue, readShape } from './shape.ts'

const part = z.discriminatedUnion('type', [z.strictObject({ type: z.literal('text'), text: z.string() })])
const shape = z.strictObject({
  name: z.string(),
  content: z.union([z.string(), z.array(part)]).optional(),
  schema: anyRecord.optional(),
})

function issueOf(body: Json): Issue {
  let found: Issue | undefined
  const refuse = (issue: Issue) => {
    found = issue
    return new Refusal({ status: 400, body: issue })
  }
  expect(() => readShape(shape, body, refuse)).toThrow(Refusal)
  if (!found) throw new Error('refused without an issue')
  return found
}

it('reports the wrong value, and none where a field is missing', () => {
  expect(issueOf({ name: 5 })).toMatchObject({ code: 'invalid_type', path: ['name'], input: 5 })
  expect(issueOf({}).input).toBeUndefined()
})

it('reports an unknown name before the wrong fields beside and below it', () => {
  expect(issueOf({ name: 5, other: 1 })).toMatchObject({ code: 'unrecognized_keys', keys: ['other'] })
  const content = [{ type: 'text', other: 1 }]
  expect(issueOf({ name: 'a', content })).toMatchObject({ keys: ['other'], path: ['content', 0] })
})

it('of alternatives reports what is wrong by the one of the same type', () => {
  const inner = { path: ['content', 0, 'text'], code: 'invalid_type', input: 5 }
  expect(issueOf({ name: 'a', content: [{ type: 'text', text: 5 }] })).toMatchObject(inner)
  expect(issueOf({ name: 'a', content: 5 })).toMatchObject({ code: 'invalid_union', path: ['content'] })
})

it('reports the kinds that are allowed where an object is of none of them', () => {
  const issue = issueOf({ name: 'a', content: [{ type: 'video' }] })
  expect(issue.path).toEqual(['content', 0, 'type'])
  expect(discriminatorOf(issue)).toEqual({ value: 'video', options: ['text'] })
})

it('takes any object as it is, and nothing else', () => {
  expect(issueOf({ name: 'a', schema: [] })).toMatchObject({ code: 'invalid_type', expected: 'record' })
  const schema = JSON.parse('{"__proto__":1,"type":"object"}')
  const read = readShape(shape, { name: 'a', schema }, () => new Refusal({ status: 400, body: {} }))
  expect(read.schema).toBe(schema)
})
