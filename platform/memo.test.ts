import { expect, test } from 'vitest'
import { memo } from './memo.ts'

test('a text is computed once while it is remembered, and the least recently used text is forgotten', () => {
  const computed: string[] = []
  const upper = memo(2, text => {
    computed.push(text)
    return text.toUpperCase()
  })
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(upper)).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
  expect(computed).toEqual(['a', 'b', 'c', 'b'])
})
