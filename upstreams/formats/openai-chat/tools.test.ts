import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { translateTools } from './tools.ts'

const translate = (fields: Partial<ChatRequest>) => translateTools({ model: 'a', messages: [], ...fields })
const tool = (details: object = {}) => ({ type: 'function', function: { name: 'now', ...details } })
const parametersOf = (details: object) =>
  translate({ tools: [tool(details)] }).tools?.[0]?.function?.parameters

describe('without tools', () => {
  it.each([[[]], [null], [undefined]])('(%j) none of their fields is sent', tools => {
    const translated = translate({ tools, tool_choice: 'auto', parallel_tool_calls: true })
    expect(JSON.stringify(translated)).toBe('{}')
  })

  it('nothing of that is dropped where there are some', () => {
    const tools = [tool({ parameters: { type: 'object', properties: {} } })]
    const fields = { tools, tool_choice: 'none', parallel_tool_calls: false }
    expect(translate(fields)).toEqual(fields)
  })
})

describe('the name of a tool', () => {
  it.each(['now', 'search-all', '2fa', 'x'.repeat(64)])('%s is taken', name =>
    expect(translate({ tools: [tool({ name })] }).tools?.[0]?.function?.name).toBe(name),
  )

  it.each(['a.b', 'a/b', 'ä', 'x'.repeat(65), 'x'.repeat(128)])('%s is refused', async name =>
    expect(await aRefusal(() => translate({ tools: [tool(), tool({ name })] }))).toEqual({
      problem: 'invalid_request',
      param: 'tools[1].function.name',
    }),
  )
})

describe('the schema of a tool', () => {
  it.each([undefined, {}])('is that of an object without properties where it is %j', parameters =>
    expect(parametersOf({ parameters })).toEqual({ type: 'object', properties: {} }),
  )

  it('is closed, where it is empty and strict', () => {
    expect(parametersOf({ strict: true })).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  it('is refused as anything else', async () =>
    expect(await aRefusal(() => parametersOf({ parameters: { type: 'string' } }))).toEqual({
      problem: 'invalid_request',
      param: 'tools[0].function.parameters',
    }))
})

it('tools that are not functions go as they came', () => {
  const tools = [{ type: 'custom', custom: { name: 'grep' } }]
  expect(translate({ tools }).tools).toEqual(tools)
})
