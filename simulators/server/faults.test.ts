import { describe, expect, it } from 'vitest'
import { Refusal } from './exchange.ts'
import { dropMarkers, findFault, parseFault } from './faults.ts'

describe('parseFault', () => {
  it('parses a name and its parameters', () => {
    expect(parseFault(' flaky ; n=2; ms=40;status=503;key=a=b')).toEqual({
      name: 'flaky',
      count: 2,
      waitMs: 40,
      status: 503,
      key: 'a=b',
    })
  })

  it('accepts every error status as a fault', () => {
    expect(parseFault('529')).toMatchObject({ name: 'status', status: 529 })
    expect(parseFault('200')).toBeUndefined()
  })

  it('rejects unknown names and invalid numbers', () => {
    expect(parseFault('slwo')).toBeUndefined()
    expect(parseFault('slow;ms=soon')).toBeUndefined()
  })
})

describe('findFault', () => {
  const find = (model: string, text: string) => findFault({ model, text })?.name

  it('prefers the message to the model name', () => {
    expect(find('gpt-sim@cut', 'hi [[fault: hang]]')).toBe('hang')
    expect(find('gpt-sim@cut', 'hi')).toBe('cut')
    expect(find('gpt-sim', 'hi')).toBeUndefined()
  })

  it('refuses an unknown fault in a message, but ignores it in a model name', () => {
    expect(() => find('gpt-sim', '[[fault: slwo]]')).toThrow(Refusal)
    expect(find('claude-sim@20250929', 'hi')).toBeUndefined()
  })
})

describe('dropMarkers', () => {
  it('removes all markers', () => {
    expect(dropMarkers('hello [[fault: slow;ms=1]] world [[fault: cut]]')).toBe('hello world')
  })
})
