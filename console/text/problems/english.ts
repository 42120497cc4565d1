import type { ProblemTexts } from './text-in.ts'

/** Texts for readers of a page where the service's text names operations of the API. */
export const english: ProblemTexts = {
  byName: new Map([
    ['playground_revoked', 'The key of the playground was revoked.'],
    ['key_disabled', 'The key of the playground is disabled.'],
    [
      'second_factor_required',
      'The account requires a second factor, and you have none. Add one in the settings, under Sign-in.',
    ],
    [
      'email_not_confirmed',
      'Your e-mail address is not confirmed. Open the link in the e-mail, or have it sent again at the top of the page.',
    ],
    ['confirmation_required', 'Confirm that it is you, then try again.'],
    [
      'model_unavailable',
      'The service has no credential for the vendor of this model. Add your own, or choose another model.',
    ],
  ]),
  byMessage: [
    // The field is named above its error.
    [/^\w+(?:\[\d+\])? must (.+)$/, (rule = '') => `Must ${rule}`],
    [/^\w+(?:\[\d+\])? is required\.$/, () => 'Required.'],
    [/^Not found\. Check the method/, () => 'There is no such record. It may have been removed.'],
    [
      /^Rate limit exceeded \((?:\w+: )?(.+)\)\. Retry after (\d+) s\.$/,
      (limit = '', seconds = '') => `The limit of ${limit} is reached. Try again in ${seconds} seconds.`,
    ],
    [
      /^The account has no webhook for alerts/,
      () => 'The account has no webhook for alerts. Save its address first.',
    ],
  ],
  retryAfter: seconds => `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
}
