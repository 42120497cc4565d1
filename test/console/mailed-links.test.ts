import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, logIn, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('links in e-mails', () => {
  const system = perFile(() => aConsole({ withMail: true, withWorker: true }))

  /** Waits for the e-mails to an address, and returns the link in the latest of `count`. */
  const linkTo = async (email: string, count = 1) => {
    const linksIn = () =>
      (system.mailbox?.mails ?? [])
        .filter(({ recipients }) => recipients.includes(email))
        .flatMap(({ text }) => /http\S+\/account\/\S+#\S+/.exec(text)?.[0] ?? [])
    await expect.poll(() => linksIn().length, { timeout: 20_000 }).toBe(count)
    return linksIn().at(-1) ?? ''
  }
  const open = async (page: Page, link: string, button: string) => {
    await page.goto(link)
    await page.getByRole('button', { name: button }).waitFor()
    const [, token = 'none'] = link.split('#')
    expect(page.url()).not.toContain(token)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: button }).click()
  }

  test('a new user confirms the address with the second e-mail, and the banner ends', async () => {
    const email = 'confirm@example.com'
    const { page, errors } = await system.open('/console/sign-up')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByRole('button', { name: 'Sign up' }).click()
    const banner = page.getByText(`Confirm your address ${email}`)
    await banner.waitFor()
    const first = await linkTo(email)
    await page.getByRole('button', { name: 'Send the e-mail again' }).click()
    await page.getByText('The e-mail is on its way.').waitFor()

    const other = await page.context().newPage()
    await open(other, await linkTo(email, 2), 'Confirm')
    await other.getByText(`Your address ${email} is confirmed.`).waitFor()
    await other.getByRole('heading', { name: 'Address confirmed' }).waitFor()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect.poll(() => banner.count()).toBe(0)
    await open(other, first, 'Confirm')
    await other.getByText('This link is invalid, was used, or has expired.').waitFor()
    await other.goto(first.split('#')[0] ?? '')
    await other.getByText('The link is incomplete.').waitFor()
    expect(errors).toEqual([])
  })

  test('a forgotten password is set anew with the link', async () => {
    const { email, token } = await system.aPerson()
    await linkTo(email)
    const { page } = await system.open('/console/reset-password#expired')
    await page.getByLabel('New password').fill('staple battery horse')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('link', { name: 'Get another link' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.goto(await linkTo(email, 2))
    const password = page.getByLabel('New password')
    await password.fill('short')
    await page.getByRole('button', { name: 'Set password' }).click()
    await expect.poll(() => password.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await page.getByText('Must have 8 to 200 characters.').waitFor()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('button', { name: 'Passwort setzen' }).click()
    await page.getByText('8 bis 200 Zeichen.').waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await password.fill('staple battery horse')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your password is changed').waitFor()
    expect((await system.rest('GET', '/me', { token })).status).toBe(401)
    await page.getByRole('link', { name: 'Log in', exact: true }).click()
    await logIn(page, { email, password: 'staple battery horse' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('invited people join: a new one with a password, a member of another account in the open session', async () => {
    const owner = await system.aPerson()
    const { sql } = system.context
    await sql`update users set email_confirmed_at = now() where email = ${owner.email}`
    await sql`update accounts set name = 'Acme' where id = ${owner.accountId}`
    const invite = (email: string) =>
      system.rest('POST', '/invitations', { token: owner.token, body: { email, role: 'viewer' } })

    await invite('guest@example.com')
    const { page } = await system.open('/console/log-in')
    await open(page, await linkTo('guest@example.com'), 'Accept')
    await page.getByLabel('New password').fill('correct horse')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('You are a member of Acme.').waitFor()
    await page.getByRole('link', { name: 'Go to the console' }).click()
    await page.getByRole('button', { name: /^Account and settings Acme/ }).waitFor()

    const member = await system.openAs('/console/settings')
    await sql`update users set email_confirmed_at = now() where email = ${member.email}`
    await linkTo(member.email)
    await invite(member.email)
    const other = await system.openAs('/console/settings')
    await open(other.page, await linkTo(member.email, 2), 'Accept')
    await other.page.getByText('Log in with that address, or log out').waitFor()
    await other.page.getByRole('button', { name: 'Log out' }).click()
    await other.page.getByRole('heading', { name: 'Log in' }).waitFor()
    await open(member.page, await linkTo(member.email, 2), 'Accept')
    await member.page.getByRole('button', { name: 'Open Acme' }).click()
    await member.page.getByRole('button', { name: /^Account and settings Acme/ }).waitFor()
  })
})
