import { afterAll, expect, test } from 'vitest'
import { openTokenizer } from './tokenizer.ts'

const tokenizer = openTokenizer()
afterAll(() => tokenizer.close())

test('what costs nothing waits until money is settled', async () => {
  const ended: string[] = []
  const count = async (name: string, isPatient: boolean) => {
    const tokens = await tokenizer.count(['Hello'], { isPatient })
    ended.push(name)
    return tokens
  }
  const free = ['free 1', 'free 2', 'free 3'].map(name => count(name, true))
  const paid = ['paid 1', 'paid 2'].map(name => count(name, false))
  expect(await Promise.all([...free, ...paid])).toEqual([1, 1, 1, 1, 1])
  expect(ended).toEqual(['free 1', 'paid 1', 'paid 2', 'free 2', 'free 3'])
})
