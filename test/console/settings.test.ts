import jsQr from 'jsqr'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import { perFile } from '../harness/per-file.ts'
import { addAuthenticator } from '../sign-in/a-browser.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { aConsole, chromium, logIn, violationsOf } from './a-console.ts'

const confirmationOf = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it is you' })
const isRefusal = (error: string) => /40[0-9]|422/.test(error) // Browsers report responses with these statuses.

describe.skipIf(!chromium)('the settings of a person', () => {
  const system = perFile(() => aConsole({ withMail: true }))
  const confirmAddress = (email: string) =>
    system.context.sql`update users set email_confirmed_at = now() where email = ${email}`
  const outdateConfirmation = (email: string) => system.context.sql`
    update refresh_tokens set confirmed_at = now() - interval '11 minutes'
    where user_id = (select id from users where email = ${email})`
  const statusOf = async (token: string) => (await system.rest('GET', '/me', { token })).status
  const tokenOf = async (person: { email: string; password: string }) =>
    (await system.rest('POST', '/auth/log-in', { body: person })).body.access_token as string | undefined

  test('an authenticator app is added from its QR code, logs in, and is switched off', async () => {
    const { page, errors, email, password } = await system.openAs('/console/settings/sign-in')
    await confirmAddress(email)
    await outdateConfirmation(email)
    await page.reload()
    await page.getByText('No second factor yet').waitFor()
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add authenticator app' })
    await dialog.getByLabel('Name').fill('Work phone')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await confirmationOf(page).getByLabel('Password').fill(password)
    await confirmationOf(page).getByRole('button', { name: 'Confirm' }).click()

    const uri = new URL(await contentOfQrCode(page))
    const secret = uri.searchParams.get('secret') ?? ''
    expect([uri.protocol, decodeURIComponent(uri.pathname)]).toEqual([
      'otpauth:',
      expect.stringContaining(email),
    ])
    expect((await dialog.locator('code').innerText()).replaceAll(' ', '')).toBe(secret)
    const code = dialog.getByLabel('Code that the app shows')
    await code.fill('12345')
    await dialog.getByRole('button', { name: 'Activate' }).click()
    await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await code.fill(codeOf(secret))
    await dialog.getByRole('button', { name: 'Activate' }).click()

    const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await expect.poll(() => codes.count()).toBe(10)
    const shown = await codes.allInnerTexts()
    expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy codes' }).click()
    await page.getByText('Copied').first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${shown.join('\n')}\n`)
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download codes' }).click()
    expect((await download).suggestedFilename()).toBe('rubicon-recovery-codes.txt')
    await dialog.getByLabel('I have saved the codes').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Work phone Authenticator app/ }).waitFor()
    const kept = await page.evaluate(
      () =>
        document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage, history.state]),
    )
    expect([secret, ...shown].filter(one => kept.includes(one))).toEqual([])

    const { page: other } = await system.open('/console/log-in?next=/settings/sign-in')
    await logIn(other, { email, password })
    // A code works once, and the clock of an app may be 30 seconds ahead.
    await other.getByLabel('Code of your authenticator app').fill(codeOf(secret, 1))
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.waitForURL('**/console/settings/sign-in')

    await other.getByText('10 of 10 left').waitFor()
    await other.getByRole('button', { name: 'New codes' }).click()
    const renewal = other.getByRole('dialog', { name: 'Create new recovery codes?' })
    await renewal.getByRole('button', { name: 'New codes' }).click()
    const renewed = other.getByRole('dialog', { name: 'Recovery codes' })
    await expect.poll(() => renewed.getByRole('listitem').count()).toBe(10)
    expect(await renewed.getByRole('listitem').allInnerTexts()).not.toContain(shown[0])
    await other.keyboard.press('Escape')
    await other.getByRole('button', { name: 'Edit Work phone' }).click()
    const panel = other.getByRole('dialog', { name: 'Work phone' })
    await panel.getByRole('button', { name: 'Switch off' }).click()
    const question = other.getByRole('dialog', { name: 'Switch the second step off?' })
    await question.getByRole('button', { name: 'Switch off' }).click()
    await other.getByText('No second factor yet').waitFor()
    expect(await tokenOf({ email, password })).toBeDefined()
    expect(errors.filter(error => !isRefusal(error))).toEqual([])
  })

  test('a passkey is added, renamed and logs in alone', async () => {
    const person = await system.aPerson()
    await confirmAddress(person.email)
    const { page, errors } = await system.open('/console/log-in')
    // Passkeys belong to a host name, so the page cannot be at an IP address.
    const local = system.edge.url.replace('127.0.0.1', 'localhost')
    await page.goto(`${local}/console/log-in?next=/settings/sign-in`)
    await addAuthenticator(page)
    await logIn(page, person)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add passkey' })
    await dialog.getByLabel('Name').fill('Key')
    await dialog.getByRole('button', { name: 'Create passkey' }).click()
    await dialog.getByLabel('I have saved the codes').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Edit Key' }).click()
    const panel = page.getByRole('dialog', { name: 'Key' })
    await panel.getByLabel('Name').fill('<b>Laptop</b>')
    expect(await violationsOf(page)).toEqual([])
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /<b>Laptop<\/b> Passkey .*Never/ }).waitFor()

    await page.getByRole('button', { name: /^Account and settings/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/console/log-in')
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(errors).toEqual([])
  })

  test('a changed password ends the other sessions, and so does the button for it', async () => {
    const { page, errors, email, password, token } = await system.openAs('/console/settings/sign-in')
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await expect.poll(() => sessions.getByRole('row', { name: /127\.0\.0\.1/ }).count()).toBe(2)
    await sessions.getByRole('row', { name: /This session/ }).waitFor()
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change password' })
    const current = dialog.getByLabel('Current password')
    await current.fill('wrong password')
    await dialog.getByLabel('New password').fill('staple battery horse')
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await expect.poll(() => current.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await current.fill(password)
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Ended sessions: 1.').waitFor()
    await expect.poll(() => sessions.getByRole('row', { name: /127\.0\.0\.1/ }).count()).toBe(1)
    expect(await statusOf(token)).toBe(401)
    expect(await tokenOf({ email, password })).toBeUndefined()

    const others = await Promise.all([1, 2].map(() => tokenOf({ email, password: 'staple battery horse' })))
    await page.reload()
    await sessions
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click()
    await page.getByText('The session is ended.').waitFor()
    await page.getByRole('button', { name: 'End all others' }).click()
    const question = page.getByRole('dialog', { name: 'End all other sessions?' })
    await question.getByRole('button', { name: 'End all others' }).click()
    await page.getByText('Ended sessions: 1.').waitFor()
    expect(await Promise.all(others.map(other => statusOf(other ?? '')))).toEqual([401, 401])
    await page.reload()
    await sessions.getByRole('row', { name: /This session/ }).waitFor()
    expect(errors.filter(error => !isRefusal(error))).toEqual([])
  })

  test('a person changes the e-mail address with the link, in a browser that logs in first', async () => {
    const { page, errors, email, password } = await system.openAs('/console/settings')
    await page.getByRole('button', { name: 'Change e-mail address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change e-mail address' })
    const field = dialog.getByLabel('New e-mail address')
    await field.fill(email)
    await dialog.getByRole('button', { name: 'Send the link' }).click()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await field.fill('moved@example.org')
    await dialog.getByRole('button', { name: 'Send the link' }).click()
    await dialog.getByText('The e-mail to moved@example.org is on its way.').waitFor()
    const [link] = await system.context.sql<{ id: string }[]>`
      select id from mailed_links where email = 'moved@example.org'`
    const token = linkToken(system.config, { id: link?.id ?? '', purpose: 'change_email' })

    const { page: other } = await system.open(`/account/change-email#${token}`)
    await logIn(other, { email, password })
    await other.getByRole('heading', { name: 'Change your e-mail address' }).waitFor()
    expect(other.url()).not.toContain(token)
    expect(await violationsOf(other)).toEqual([])
    await other.getByRole('button', { name: 'Change e-mail address' }).click()
    await other.getByText('Your address is now moved@example.org. Ended sessions: 2.').waitFor()
    await other.getByRole('link', { name: 'Go to the console' }).click()
    await other.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await tokenOf({ email, password })).toBeUndefined()
    expect(await tokenOf({ email: 'moved@example.org', password })).toBeDefined()
    expect(errors.filter(error => !isRefusal(error))).toEqual([])
  })

  test('a person changes name, theme and language, switches the account, and leaves one', async () => {
    const [host, { page, errors, email }] = [await system.aPerson(), await system.openAs('/console/settings')]
    const { sql } = system.context
    await sql`
      insert into memberships (account_id, user_id, role)
      select ${host.accountId}, id, 'viewer' from users where email = ${email}`
    await sql`update accounts set name = 'Host' where id = ${host.accountId}`
    await page.reload()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('<i>Ada</i>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByLabel('Theme').selectOption('dark')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByLabel('Theme').selectOption('system')
    await page.goto(`${system.edge.url}/console/members`)
    await page.getByRole('cell', { name: '<i>Ada</i>', exact: true }).waitFor()

    await page.goto(`${system.edge.url}/console/settings`)
    await page.getByRole('button', { name: 'Switch to Host' }).click()
    await page.getByRole('button', { name: /^Account and settings Host/ }).waitFor()
    await page.goto(`${system.edge.url}/console/settings`)
    await page.getByRole('row', { name: /Host Open now Viewer/ }).waitFor()
    await page.getByRole('button', { name: 'Leave Host' }).click()
    const question = page.getByRole('dialog', { name: 'Leave Host?' })
    await question.getByLabel('Type Host to confirm').fill('Host')
    expect(await violationsOf(page)).toEqual([])
    await question.getByRole('button', { name: 'Leave account' }).click()
    await page.waitForURL('**/console/log-in**')
    const [left] = await sql`
      select from memberships m join users u on u.id = m.user_id
      where m.account_id = ${host.accountId} and u.email = ${email}`
    expect(left).toBeUndefined()
    expect(errors.filter(error => !isRefusal(error))).toEqual([])
  })
})

/** Reads the QR code of the page as a phone does, from its pixels. */
async function contentOfQrCode(page: Page): Promise<string> {
  const drawing = page.getByRole('img', { name: 'QR code for the authenticator app' })
  await drawing.waitFor()
  const { pixels, side } = await drawing.evaluate(async element => {
    const length = 400
    const copy = element.cloneNode(true) as SVGElement
    for (const name of ['width', 'height']) copy.setAttribute(name, String(length))
    const image = new Image()
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: length, height: length })
    const drawn = canvas.getContext('2d')
    drawn?.drawImage(image, 0, 0)
    return { pixels: [...(drawn?.getImageData(0, 0, length, length).data ?? [])], side: length }
  })
  return jsQr.default(Uint8ClampedArray.from(pixels), side, side)?.data ?? ''
}
