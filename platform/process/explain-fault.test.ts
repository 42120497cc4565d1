import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { explainFault } from './explain-fault.ts'

test('a folder that is not there is one line that names it', async () => {
  const fault = await readdir('/nowhere/at/all').catch(error => error)
  expect(explainFault(fault)).toBe('there is nothing at /nowhere/at/all')
})
