import { expect, test } from 'vitest'
import { subjectError } from './check-commits.ts'

test.each([
  'feat(keys): keys expire',
  'fix(keys,rates): a full stop. Inside',
  'refactor(graph)!: fields move',
  `docs: ${'x'.repeat(66)}`,
])('"%s" is a valid subject', subject => expect(subjectError(subject)).toBeUndefined())

test.each([
  ['keys expire', 'type(scope)'],
  ['feature: keys expire', 'type(scope)'],
  ['feat(keys):keys expire', 'type(scope)'],
  ['feat(Keys): keys expire', 'type(scope)'],
  ['fix: keys expire.', 'full stop'],
  [`docs: ${'x'.repeat(67)}`, 'at most 72'],
])('"%s" is refused: %s', (subject, reason) => expect(subjectError(subject)).toContain(reason))
