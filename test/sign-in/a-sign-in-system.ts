import { Secret, TOTP } from 'otpauth'
import type { SignInNotice } from '../../domain/sign-in-notices/add-notice.ts'
import { sendNotice } from '../../domain/sign-in-notices/send-notice.ts'
import { type AccountSystem, anAccountSystem } from '../accounts/an-account-system.ts'
import type { RestAnswer } from '../harness/a-rest-caller.ts'
import { Authenticator } from './an-authenticator.ts'

/** A person with a confirmed address and a session. */
export interface SignedUp {
  userId: string
  accountId: string
  email: string
  password: string
  token: string
  refreshToken: string
  /** The IP address from which the person signed up. */
  address: string
}

/** The URL of the service, which is also the origin of its pages. */
export const baseUrl = 'https://console.example.com'

/** A control plane for sign-in, and functions that act as a person. Each call comes from another address by default. */
export interface SignInSystem extends AccountSystem {
  post(
    path: string,
    body?: object,
    options?: { token?: string | undefined; from?: string | undefined },
  ): Promise<RestAnswer>
  /** Signs up a person who confirms the address. */
  aConfirmedPerson(): Promise<SignedUp>
  /** Logs in by password; the first step. */
  logIn(person: SignedUp, from?: string): Promise<RestAnswer>
  /** Adds an authenticator app to a person. */
  addApp(person: SignedUp): Promise<{ id: string; secret: string; recoveryCodes: string[] }>
  /** Adds a passkey to a person. */
  addPasskey(person: SignedUp, authenticator?: Authenticator): Promise<Authenticator>
  /** Moves the last confirmation of all sessions of a person into the past. */
  makeUnconfirmed(person: SignedUp): Promise<void>
  /** Forgets the last time step of the person's apps, so that the same code works again. Time itself is real. */
  nextStep(person: SignedUp): Promise<void>
  /** Sends the notices that were not sent yet. Returns the subjects of all e-mails to an address. */
  subjectsTo(email: string): Promise<string[]>
}

/** The code of a secret now, or `steps` time steps from now. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
}

export async function aSignInSystem(env: Record<string, string> = {}): Promise<SignInSystem> {
  const system = await anAccountSystem({ BASE_URL: baseUrl, ...env })
  const { sql } = system.context
  let people = 0
  let addresses = 0
  const anAddress = () => `198.18.${++addresses >> 8}.${addresses & 255}`
  const sent = new Set<string>()

  const post: SignInSystem['post'] = (path, body, { token, from = anAddress() } = {}) =>
    system.rest('POST', `/auth/${path}`, { body, token, headers: { 'x-forwarded-for': from } })

  const nextStep: SignInSystem['nextStep'] = async ({ userId }) => {
    await sql`update second_factors set last_step = 0 where user_id = ${userId} and kind = 'totp'`
  }

  return {
    ...system,
    post,
    async aConfirmedPerson() {
      const [email, password] = [`user-${++people}@example.com`, 'correct horse']
      const address = anAddress()
      const { body } = await post('sign-up', { email, password }, { from: address })
      const [token] = await system.tokensTo(email)
      await post('confirm-email', { token })
      const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
      return {
        userId: user!.id,
        accountId: body.account.id,
        email,
        password,
        token: body.access_token,
        refreshToken: body.refresh_token,
        address,
      }
    },
    logIn: ({ email, password }, from) => post('log-in', { email, password }, { from }),
    async addApp(person) {
      const added = await post('authenticator-apps', { name: 'Phone' }, person)
      const { id, secret } = added.body
      const activated = await post(`authenticator-apps/${id}/activate`, { code: codeOf(secret) }, person)
      await nextStep(person)
      return { id, secret, recoveryCodes: activated.body.recovery_codes }
    },
    async addPasskey(person, authenticator = new Authenticator(baseUrl)) {
      const { body } = await post('start-passkey-registration', undefined, person)
      const passkey = authenticator.create(body.options)
      await post('passkeys', { challenge_token: body.challenge_token, name: 'Laptop', passkey }, person)
      return authenticator
    },
    async makeUnconfirmed({ userId }) {
      await sql`update refresh_tokens set confirmed_at = now() - interval '11 minutes' where user_id = ${userId}`
    },
    nextStep,
    async subjectsTo(email) {
      const jobs = await sql<{ payload: SignInNotice }[]>`
        select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'send-sign-in-notice' order by j.id`
      for (const { payload: notice } of jobs) {
        if (sent.has(notice.id)) continue
        sent.add(notice.id)
        await sendNotice(system.context, { notice, signal: new AbortController().signal })
      }
      return system.mailbox.mails
        .filter(({ recipients }) => recipients.includes(email))
        .map(({ subject }) => subject)
    },
  }
}
