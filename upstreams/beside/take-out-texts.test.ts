import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { takeOutTexts } from './take-out-texts.ts'

test('texts of megabytes are copied over several turns of the event loop', async () => {
  const text = 'abc'.repeat(1_000_000)
  let turns = 0
  let isDone = false
  const taking = takeOutTexts([text, `${text}\u00e9`], 'mark').finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await nextTurn()
  const { value, texts } = await taking
  expect(value).toEqual(['mark', 'mark'])
  expect(Buffer.from(texts[0]!).toString()).toBe(text)
  expect(texts[1]).toBe(`${text}\u00e9`)
  expect(turns).toBeGreaterThan(5)
})
