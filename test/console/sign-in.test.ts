import { afterEach, describe, expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { addAuthenticator } from '../sign-in/a-browser.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { aConsole, chromium, keepPictures, logIn, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('signing in to the console', () => {
  const system = perFile(() => aConsole({ withIssuer: true }))
  afterEach(context => keepPictures(system, context))
  const outdateConfirmation = (email: string) => system.context.sql`
    update refresh_tokens set confirmed_at = now() - interval '11 minutes'
    where user_id = (select id from users where email = ${email})`

  test('a user with a second factor enters a recovery code after the password', async () => {
    const person = await system.aPerson()
    const post = async (path: string, body: object) =>
      (await system.rest('POST', `/auth/${path}`, { body, token: person.token })).body
    const app = await post('authenticator-apps', { name: 'Phone' })
    const { recovery_codes: recoveryCodes } = await post(`authenticator-apps/${app.id}/activate`, {
      code: codeOf(app.secret),
    })
    const { page, errors } = await system.open('/console/log-in?next=/keys')
    await logIn(page, person)
    await page.getByLabel('Code of your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    const code = page.getByLabel('Code of your authenticator app')
    await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recoveryCodes[0])
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL('**/console/keys')

    await page.goto(`${system.edge.url}/console/members`)
    await outdateConfirmation(person.email)
    await page.getByRole('link', { name: person.email }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirmation.getByLabel('Password').fill(person.password)
    await confirmation.getByLabel('Code of your authenticator app').fill('000000')
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    const wrong = confirmation.getByLabel('Code of your authenticator app')
    await expect.poll(() => wrong.getAttribute('aria-invalid')).toBe('true')
    await confirmation.getByRole('button', { name: 'Use a recovery code' }).click()
    await confirmation.getByLabel('Recovery code').fill(recoveryCodes[1])
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The role is changed.').waitFor()
    // The wrong code was refused with 403, which browsers report.
    expect(errors.filter(error => !error.includes('403'))).toEqual([])
  })

  test('a user with a passkey logs in with it, and confirms an action with it', async () => {
    const person = await system.aPerson()
    const { page, errors } = await system.open('/console/log-in')
    // Passkeys belong to a host name, so the page cannot be at an IP address.
    const local = system.edge.url.replace('127.0.0.1', 'localhost')
    await page.goto(`${local}/console/log-in?next=/members`)
    await addAuthenticator(page)
    await page.evaluate(async token => {
      const post = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        const response = await fetch(`/api/v1/auth/${path}`, init)
        if (!response.ok) throw new Error(await response.text())
        return response.json()
      }
      const { options, challenge_token } = await post('start-passkey-registration', {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
      await post('passkeys', { challenge_token, name: 'Phone', passkey: credential.toJSON() })
    }, person.token)
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByRole('link', { name: person.email }).click()
    await outdateConfirmation(person.email)
    await page.getByRole('button', { name: 'Save' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirmation.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('The role is changed.').waitFor()
    expect(errors).toEqual([])
  })

  test('a wrong password is reported beside the form, and another site is never the next page', async () => {
    const person = await system.aPerson()
    const { page } = await system.open('/console/log-in?next=//evil.example/console')
    await logIn(page, { ...person, password: 'wrong password' })
    await expect.poll(() => page.getByRole('alert').first().innerText()).toMatch(/wrong/)
    await logIn(page, person)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).origin).toBe(system.edge.url)
  })

  test('a user links an identity and unlinks it, and single sign-on leads to the issuer and back to the console', async () => {
    const { page, errors, email } = await system.openAs('/console/settings/sign-in')
    const become = (sub: string, address: string) => {
      if (system.issuer) system.issuer.person = { sub, email: address, email_verified: true, name: sub }
    }
    become('linked', email)
    await page.getByRole('button', { name: 'Link Acme' }).click()
    await page.getByText('The identity is linked.').waitFor()
    await page.getByRole('row', { name: new RegExp(`Acme ${email}`) }).waitFor()
    expect(page.url()).not.toContain('sso_code')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Unlink Acme' }).click()
    await page.getByRole('dialog', { name: 'Unlink Acme?' }).getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('The identity is unlinked.').waitFor()
    await page.getByText('Link an identity to log in without a password.').waitFor()

    become('ada', 'ada@acme.example')
    await page.getByRole('button', { name: /^Account and settings/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/console/log-in')
    await page.getByRole('button', { name: 'Single sign-on' }).click()
    await page.getByLabel('E-mail address').fill('ada@acme.example')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain('sso_code')
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(errors).toEqual([])
  })
})
