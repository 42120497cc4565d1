import type { ModelTask } from '../../schema/catalog/entry.ts'
import type { JsonValue } from './json-schema.ts'

/** The example of an operation of `/api/v1`. Tests run each example: `test/openapi`. */
export interface Example {
  /** The values of parameters in path and query, by name. */
  parameters?: Readonly<Record<string, JsonValue>>
  body?: JsonValue
  /** The tasks of the models that the example can name, as in `schema/operations/operations.ts`. */
  tasks?: readonly ModelTask[]
}

const anId = '0192f3a1-7c4e-7b1a-9d52-3f6e8a1b2c3d'
const aDay = '2026-11-01'

/** The examples by the name of the operation. Each operation with a body or a path parameter has one. */
export const managementExamples: ReadonlyMap<string, Example> = new Map<string, Example>([
  ['signUp', { body: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' } }],
  ['logIn', { body: { email: 'ada@example.com', password: 'correct horse battery' } }],
  [
    'completeLogIn',
    { body: { challenge_token: '0190a8c0-0000-7000-8000-000000000000.Zx8…', code: '123456' } },
  ],
  ['confirmIdentity', { body: { password: 'correct horse battery' } }],
  ['updateUser', { body: { name: 'Ada Lovelace' } }],
  ['updateAccount', { body: { name: 'Acme' } }],
  ['updateSecondFactor', { parameters: { id: anId }, body: { name: 'Laptop' } }],
  ['removeSecondFactor', { parameters: { id: anId } }],
  ['addAuthenticatorApp', { body: { name: 'Phone' } }],
  ['activateAuthenticatorApp', { parameters: { id: anId }, body: { code: '123456' } }],
  [
    'addPasskey',
    {
      body: {
        challenge_token: '0190a8c0-0000-7000-8000-000000000000.Zx8…',
        name: 'Laptop',
        passkey: { id: 'AbCd', response: { clientDataJSON: 'eyJ0', attestationObject: 'o2Nm' } },
      },
    },
  ],
  ['requireSecondFactor', { body: { is_required: true } }],
  ['listSignInIssuers', { parameters: { email: 'ada@example.com' } }],
  [
    'completeSignIn',
    { body: { code: 'q7V…', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' } },
  ],
  ['linkIdentity', { body: { code: 'q7V…', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' } }],
  ['unlinkIdentity', { parameters: { id: anId } }],
  [
    'readHistogram',
    { parameters: { slot: 'hour', since: '2026-11-26T00:00:00Z', until: '2026-11-27T00:00:00Z' } },
  ],
  ['readOverview', { parameters: { id: anId } }],
  [
    'creditAccount',
    { parameters: { account_id: anId }, body: { amount: 25, reason: 'Credit for the outage of Monday.' } },
  ],
  [
    'debitAccount',
    { parameters: { account_id: anId }, body: { amount: 10, reason: 'Corrects a credit of Monday.' } },
  ],
  ['setAllowance', { parameters: { account_id: anId, resource: 'keys' }, body: { limit: 500 } }],
  ['listCatalogue', { parameters: { search: 'atlas' } }],
  ['readEntry', { parameters: { id: 'chat.atlas' }, tasks: ['chat'] }],
  ['listRevisions', { parameters: { model_id: 'chat.atlas' }, tasks: ['chat'] }],
  [
    'putModel',
    {
      body: {
        expected_revision: 3,
        entry: { id: 'chat.atlas', model: 'vendor_a/atlas', name: 'Atlas', active: true },
      },
    },
  ],
  ...[
    ['viewAccount', 'The customer reports wrong charges.'],
    ['suspendAccount', 'Payments were disputed.'],
    ['closeAccount', 'The customer asked for it.'],
    ['reopenAccount', 'The customer has returned.'],
  ].map(
    ([name = '', reason = '']) =>
      [name, { parameters: { account_id: anId }, body: { reason } }] satisfies [string, Example],
  ),
  ['resumeAccount', { parameters: { account_id: anId }, body: {} }],
  [
    'resetSecondFactors',
    { parameters: { account_id: anId }, body: { user_id: anId, reason: 'The phone was lost.' } },
  ],
  ['requestEmailChange', { body: { email: 'ada@example.org' } }],
  ['changeEmail', { body: { token: '0190a8c0-0000-7000-8000-000000000000.Zx8…' } }],
  ['closeOwnAccount', { body: { account_name: 'Acme' } }],
  ['reopenOwnAccount', { body: { token: '0190a8c0-0000-7000-8000-000000000000.Zx8…' } }],
  ['confirmEmail', { body: { token: '0190a8c0-0000-7000-8000-000000000000.Zx8…' } }],
  [
    'changePassword',
    { body: { current_password: 'correct horse battery', new_password: 'staple battery horse' } },
  ],
  ['requestPasswordReset', { body: { email: 'ada@example.com' } }],
  [
    'resetPassword',
    { body: { token: '0190a8c0-0000-7000-8000-000000000000.Zx8…', new_password: 'staple battery horse' } },
  ],
  ['switchAccount', { body: { account_id: anId } }],
  [
    'acceptInvitation',
    { body: { token: '0190a8c0-0000-7000-8000-000000000000.Zx8…', password: 'correct horse battery' } },
  ],
  ['updateMember', { parameters: { id: anId }, body: { role: 'developer' } }],
  ['removeMember', { parameters: { id: anId } }],
  ['createInvitation', { body: { email: 'grace@example.com', role: 'developer' } }],
  ['resendInvitation', { parameters: { id: anId } }],
  ['revokeInvitation', { parameters: { id: anId } }],
  ['endSession', { parameters: { id: anId } }],
  ['refresh', { body: { refresh_token: 'rt_2f0c7d…' } }],
  [
    'createKey',
    { body: { name: 'Production', rate_limit_rpm: 600, credit_limit: 50, credit_reset_interval: 'monthly' } },
  ],
  ['updateKey', { parameters: { id: anId }, body: { disabled: true } }],
  ['rollKey', { parameters: { id: anId }, body: { overlap_hours: 24 } }],
  ['revokeKey', { parameters: { id: anId } }],
  ['createBudget', { body: { tag: { key: 'team', value: 'search' }, limit: 50, reset_interval: 'monthly' } }],
  ['updateBudget', { parameters: { id: anId }, body: { limit: 100 } }],
  ['deleteBudget', { parameters: { id: anId } }],
  [
    'createCredential',
    { body: { provider: 'vendor_a', label: 'Our own key', api_key: 'sk-our-own', priority: 10 } },
  ],
  ['updateCredential', { parameters: { id: anId }, body: { label: 'Our new key', always_use: true } }],
  ['deleteCredential', { parameters: { id: anId } }],
  ['listModels', { parameters: { task: ['chat'] } }],
  [
    'quotePrice',
    { body: { model: 'vendor_a/atlas', prompt_tokens: 1200, completion_tokens: 300 }, tasks: ['chat'] },
  ],
  ['readModel', { parameters: { model_id: 'chat.atlas' }, tasks: ['chat'] }],
  ['readPricing', { parameters: { model_id: 'chat.atlas' }, tasks: ['chat'] }],
  ['startTopUp', { body: { amount: 25 } }],
  ['readTopUp', { parameters: { id: 'pay_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['updateAutomaticTopUp', { body: { threshold: 10, amount: 50, daily_maximum: 200 } }],
  ['createAlert', { body: { threshold: 10 } }],
  ['updateAlertSettings', { body: { webhook_url: 'https://example.com/alerts' } }],
  ['deleteAlert', { parameters: { id: anId } }],
  ['listTasks', { parameters: { status: ['pending'] } }],
  ['readTask', { parameters: { id: 'task_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['cancelTask', { parameters: { id: 'task_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['readDelivery', { parameters: { id: 'msg_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['sendAgain', { parameters: { id: 'msg_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['rotateSecret', { body: { overlap_hours: 24 } }],
  ['listRequests', { parameters: { status: ['4xx'], order_by: 'created_at' } }],
  ['readRequest', { parameters: { id: 'req_0192f3a17c4e7b1a9d523f6e8a1b2c3d' } }],
  ['listUsage', { parameters: { group_by: ['day', 'model'], since: aDay } }],
])
