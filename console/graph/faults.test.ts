import { CombinedError } from 'urql'
import { expect, test, vi } from 'vitest'

// The language of the texts comes from the browser.
vi.stubGlobal('document', { documentElement: {} })
vi.stubGlobal('localStorage', { getItem: () => null })
const { faultText } = await import('./faults.ts')

test('a text of errors has those of fields, and that the service did not answer', () => {
  const refused = { message: 'The label is too long.', extensions: { param: 'input.label' } }
  const unpaid = { message: 'The balance is too low.', extensions: {} }
  expect(faultText(new CombinedError({ graphQLErrors: [refused, unpaid] }))).toBe(
    'The balance is too low. The label is too long.',
  )
  expect(faultText(new CombinedError({ networkError: new Error('no connection') }))).toMatch(
    'does not answer',
  )
})
