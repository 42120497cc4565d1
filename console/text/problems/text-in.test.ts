import { expect, test } from 'vitest'
import { errorCatalogue } from '../../../schema/error-catalogue.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { textIn } from './text-in.ts'

test('errors that readers can meet have a German text', () => {
  const untranslated = Object.entries(errorCatalogue)
    .filter(([name, { text }]) => textIn(german, { name, message: text }) === text)
    .map(([name]) => name)
  expect(untranslated).toEqual(ofPrograms)
})

/** Errors that only programs cause, by a request that the console does not send. Their message says what is wrong. */
const ofPrograms = [
  'invalid_json',
  'invalid_request',
  'missing_parameter',
  'previous_response_not_found',
  'thread_unsupported_request',
  'webhook_refused',
  'logout_token_refused',
  'jwt_required',
  'ip_not_allowed',
  'provisioning_key_refused',
  'method_not_allowed',
  'not_acceptable',
  'unsupported_media_type',
  'range_not_satisfiable',
  'answer_not_kept',
]

test('a message with values keeps them in German', () => {
  const message = 'name must have at most 200 characters.'
  expect(textIn(german, { name: 'validation_failed', message })).toBe('Höchstens 200 Zeichen.')
  const role = 'The role VIEWER does not permit this operation.'
  expect(textIn(german, { name: 'forbidden', message: role })).toContain('Betrachter')
})

test('an unknown message stays as the service sent it', () => {
  const unknown = { name: 'conflict', message: 'Two moons are in the way.' }
  expect(textIn(german, unknown)).toBe(unknown.message)
  expect(textIn(english, unknown)).toBe(unknown.message)
})

test('a limit that is reached says when to retry, once', () => {
  const tries = { name: 'too_many_tries', message: errorCatalogue.too_many_tries.text, retryAfterSeconds: 30 }
  expect(textIn(english, tries)).toMatch(/Too many attempts.*Try again in 30 seconds\.$/)
  expect(textIn(german, tries)).toMatch(/Zu viele Versuche.*in 30 Sekunden noch einmal\.$/)
  const message = 'Rate limit exceeded (rate_limit_rpm: 5 requests per minute). Retry after 12 s.'
  const limited = { name: 'rate_limit_exceeded', message, retryAfterSeconds: 12 }
  expect(textIn(english, limited)).toBe(
    'The limit of 5 requests per minute is reached. Try again in 12 seconds.',
  )
  expect(textIn(german, limited)).toBe(
    'Die Grenze von 5 Anfragen je Minute ist erreicht. Versuchen Sie es in 12 Sekunden noch einmal.',
  )
})
