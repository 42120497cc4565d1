import { expect, test } from 'vitest'
import { memo } from './memo.ts'

test('a text is computed once while it is remembered, and the oldest is forgotten', () => {
  const computed: string[] = []
  const upper = memo(2, text => {
    computed.push(text)
    return text.toUpperCase()
  })
  expect(['a', 'b', 'a', 'c', 'b', 'a'].map(upper)).toEqual(['A', 'B', 'A', 'C', 'B', 'A'])
  expect(computed).toEqual(['a', 'b', 'c', 'a'])
})
