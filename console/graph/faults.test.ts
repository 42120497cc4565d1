import { CombinedError } from 'urql'
import { expect, test } from 'vitest'
import { faultText } from './faults.ts'

test('a text of errors has those of fields, and that the service did not answer', () => {
  const refused = { message: 'The label is too long.', extensions: { param: 'input.label' } }
  const unpaid = { message: 'The balance is too low.', extensions: {} }
  expect(faultText(new CombinedError({ graphQLErrors: [refused, unpaid] }))).toBe(
    'The balance is too low. The label is too long.',
  )
  expect(faultText(new CombinedError({ networkError: new Error('no connection') }))).toMatch('no connection')
})
