import { linkToken, type TokenPurpose } from '../../domain/accounts/mailed-links.ts'
import { queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { aMember, anAccount, anApiKey, anInvitation } from '../harness/an-account.ts'
import type { PaymentSystem } from '../payments/a-payment-system.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { Authenticator } from '../sign-in/an-authenticator.ts'
import type { Json } from './the-document.ts'

/** What examples name that must be there: filled in as the operations before have made it. */
interface World {
  session: string
  refreshToken: string
  apiKey: string
  keyId: string
  credentialId: string
  alertId: string
  budgetId: string
  topUpId: string
  requestId: string
  taskId: string
  sessionId: string
  app: Json
  registration: Json
  passkeyLogIn: Json
  accountId: string
  /** The account of the operators' examples. */
  operatedId: string
  operatedMemberId: string
  /** A change that puts the entry of the examples again. */
  putModel: Json
  memberId: string
  invitationId: string
}

export const world: World = {
  session: '',
  refreshToken: '',
  apiKey: '',
  keyId: '',
  credentialId: '',
  alertId: '',
  budgetId: '',
  topUpId: '',
  requestId: '',
  taskId: '',
  sessionId: '',
  app: {},
  registration: {},
  passkeyLogIn: {},
  accountId: '',
  operatedId: '',
  operatedMemberId: '',
  putModel: {},
  memberId: '',
  invitationId: '',
}

/** A link to the person of the examples, as an e-mail has it. */
export const linkIds: Record<TokenPurpose, string> = {
  confirm_email: '0190a8c0-0000-7000-8000-00000000000a',
  reset_password: '0190a8c0-0000-7000-8000-00000000000b',
  accept_invitation: '0190a8c0-0000-7000-8000-00000000000c',
  change_email: '0190a8c0-0000-7000-8000-00000000000d',
  reopen_account: '0190a8c0-0000-7000-8000-00000000000e',
}

const deliveryId = 'msg_of-the-examples'

/** Returns the places of an example that name something that was made before. */
export function placesOf({ config }: PaymentSystem): Record<string, () => Json> {
  const tokenFor = (purpose: TokenPurpose) => linkToken(config, { id: linkIds[purpose], purpose })
  const authenticator = new Authenticator(config.baseUrl.replace('127.0.0.1', 'localhost'))
  return {
    refresh: () => ({ body: { refresh_token: world.refreshToken } }),
    resetPassword: () => ({ body: { token: tokenFor('reset_password'), new_password: 'a new password' } }),
    endSession: () => ({ id: world.sessionId }),
    activateAuthenticatorApp: () => ({ id: world.app.id, body: { code: codeOf(world.app.secret) } }),
    updateSecondFactor: () => ({ id: world.app.id }),
    removeSecondFactor: () => ({ id: world.app.id }),
    addPasskey: () => ({
      body: {
        challenge_token: world.registration.challenge_token,
        name: 'Laptop',
        passkey: authenticator.create(world.registration.options),
      },
    }),
    completeLogIn: () => ({
      body: {
        challenge_token: world.passkeyLogIn.token,
        passkey: authenticator.get(world.passkeyLogIn.passkey_options),
      },
    }),
    readOverview: () => ({ id: world.operatedId }),
    ...Object.fromEntries(
      ['credit', 'debit', 'view', 'suspend', 'resume', 'close', 'reopen'].map(verb => [
        `${verb}Account`,
        () => ({ account_id: world.operatedId }),
      ]),
    ),
    setAllowance: () => ({ account_id: world.operatedId }),
    putModel: () => ({ body: world.putModel }),
    resetSecondFactors: () => ({
      account_id: world.operatedId,
      body: { user_id: world.operatedMemberId, reason: 'The phone was lost.' },
    }),
    switchAccount: () => ({ body: { account_id: world.accountId } }),
    acceptInvitation: () => ({
      body: { token: tokenFor('accept_invitation'), password: 'correct horse battery' },
    }),
    updateMember: () => ({ id: world.memberId }),
    removeMember: () => ({ id: world.memberId }),
    resendInvitation: () => ({ id: world.invitationId }),
    revokeInvitation: () => ({ id: world.invitationId }),
    confirmEmail: () => ({ body: { token: tokenFor('confirm_email') } }),
    changeEmail: () => ({ body: { token: tokenFor('change_email') } }),
    closeOwnAccount: () => ({ body: { account_name: 'Acme' } }),
    reopenOwnAccount: () => ({ body: { token: tokenFor('reopen_account') } }),
    updateKey: () => ({ id: world.keyId }),
    rollKey: () => ({ id: world.keyId }),
    revokeKey: () => ({ id: world.keyId }),
    updateCredential: () => ({ id: world.credentialId }),
    deleteCredential: () => ({ id: world.credentialId }),
    deleteAlert: () => ({ id: world.alertId }),
    readTopUp: () => ({ id: world.topUpId }),
    updateBudget: () => ({ id: world.budgetId }),
    deleteBudget: () => ({ id: world.budgetId }),
    readRequest: () => ({ id: world.requestId }),
    readGeneration: () => ({ id: world.requestId }),
    readTask: () => ({ id: world.taskId }),
    cancelTask: () => ({ id: world.taskId }),
    readDelivery: () => ({ id: deliveryId }),
    sendAgain: () => ({ id: deliveryId }),
    retrieveVideo: () => ({ id: world.taskId }),
    deleteVideo: () => ({ id: world.taskId }),
    ...Object.fromEntries(
      ['Video', 'Speech', 'Audio'].flatMap(kind =>
        ['poll', 'cancel'].map(verb => [`${verb}${kind}`, () => ({ id: world.taskId })]),
      ),
    ),
  }
}

/** What an answer makes known to the examples that follow. */
export const keeps: Record<string, (answer: Json) => void> = {
  signUp: answer => Object.assign(world, { session: answer.access_token, accountId: answer.account.id }),
  logIn: answer => Object.assign(world, { session: answer.access_token, refreshToken: answer.refresh_token }),
  refresh: answer => Object.assign(world, { session: answer.access_token }),
  listSessions: answer =>
    Object.assign(world, { sessionId: answer.data.find((session: Json) => !session.is_current).id }),
  addAuthenticatorApp: answer => Object.assign(world, { app: answer }),
  startPasskeyRegistration: answer => Object.assign(world, { registration: answer }),
  startPasskeyLogIn: answer => Object.assign(world, { passkeyLogIn: answer.challenge }),
  readEntry: ({ model, declaration }) =>
    Object.assign(world, { putModel: { expected_revision: model.revision, entry: declaration } }),
  createInvitation: answer => Object.assign(world, { invitationId: answer.id }),
  createKey: answer => Object.assign(world, { keyId: answer.id }),
  createCredential: answer => Object.assign(world, { credentialId: answer.id }),
  createAlert: answer => Object.assign(world, { alertId: answer.id }),
  startTopUp: answer => Object.assign(world, { topUpId: answer.id }),
  createBudget: answer => Object.assign(world, { budgetId: answer.id }),
  submitVideo: answer => Object.assign(world, { taskId: answer.id }),
  submitSpeech: answer => Object.assign(world, { taskId: answer.id }),
  createVideo: answer => Object.assign(world, { taskId: answer.id }),
  submitAudio: answer => Object.assign(world, { taskId: answer.id }),
}

/** Sessions come first, as the others need one, and operations that end something last. */
export const order = (name: string) => {
  if (/^(startPasskeyLogIn|completeLogIn)$/.test(name)) return 1.5 // they need a passkey
  if (/^(updateSecondFactor|putModel)$/.test(name)) return 1.55 // they need a second factor and an entry
  if (name === 'listSessions') return 1.6 // the first second factor has ended the sessions before it
  if (name === 'resetPassword') return 4
  if (/^(changePassword|logOut)$/.test(name)) return 3
  if (name === 'closeOwnAccount') return 2.1
  if (name === 'reopenOwnAccount') return 2.2
  if (/^(delete|revoke|remove|cancel|end)/.test(name)) return 2
  return /^(signUp|logIn|refresh|confirmIdentity)$/.test(name) ? 0 : 1
}

/** Gives an account money and a key that calls models. */
export async function prepare({ context }: PaymentSystem, accountId: string): Promise<void> {
  world.operatedId = (await anAccount(context, { creditNanos: 0n })).accountId
  world.operatedMemberId = (await aMember(context, { accountId: world.operatedId })).userId
  const key = await anApiKey(context, { accountId })
  world.apiKey = key.text
  const amountNanos = 100_000_000_000n
  await creditAccount(context, { accountId, amountNanos, source: 'example', paymentMethod: 'grant' })
  for (const purpose of ['confirm_email', 'reset_password', 'change_email'] as const)
    await context.sql`
      insert into mailed_links (id, purpose, email, user_id, created_at, expires_at)
      select ${linkIds[purpose]}, ${purpose}, email, id, now(), now() + interval '1 day' from users
      where email = 'ada@example.com'`
  await context.sql`update users set email_confirmed_at = now()`
  await context.sql`
    update invitations set link_id = ${linkIds.accept_invitation} where id = ${await anInvitation(context, { accountId })}`
  world.memberId = (await aMember(context, { accountId })).userId
  const url = 'https://receiver.example/callbacks'
  await context.sql`
    insert into saved_cards (account_id, id, brand, last4, expiry_month, expiry_year, event_at, saved_at)
    values (${accountId}, 'pm_x', 'visa', '4242', 1, 2031, now(), now()) on conflict do nothing`
  await queueDelivery(context.sql, { accountId, id: deliveryId, event: 'task.completed', url, body: '{}' })
}
