import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import { joinAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { aConsole, chromium, logIn, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('the settings of an account', () => {
  const system = perFile(() => aConsole())

  test('an owner renames the account, exports its data, sees its limits, closes and reopens it', async () => {
    const { page, errors, accountId, email, token } = await system.openAs('/console/settings/account')
    const name = page.getByLabel('Name', { exact: true })
    await name.fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('Acme & Söhne')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: /^Account and settings Acme & Söhne/ }).waitFor()
    await page
      .getByRole('row', { name: /New requests of one API key key_requests [\d,]+ in 10 seconds/ })
      .waitFor()

    const download = page.waitForEvent('download', { timeout: 0 }) // The limit of the test counts.
    await page.getByRole('button', { name: 'Export all data' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'account', name: 'Acme & Söhne' })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end' })

    const { sql } = system.context
    await sql`update users set email_confirmed_at = now() where email = ${email}`
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Close account' }) })
    await panel.getByText('$10.00').waitFor()
    await panel.getByRole('button', { name: 'Close account' }).click()
    const question = page.getByRole('dialog', { name: 'Close Acme & Söhne?' })
    await question.getByLabel('Type Acme & Söhne to confirm').fill('Acme & Söhne')
    expect(await violationsOf(page)).toEqual([])
    await question.getByRole('button', { name: 'Close account' }).click()
    const closed = page.getByRole('dialog', { name: 'The account is closed' })
    await closed.getByText('$10.00').waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect((await system.rest('GET', '/me', { token })).body.error.code).toBe('account_closed')
    await closed.getByRole('button', { name: 'Leave the console' }).click()
    await page.waitForURL('**/console/log-in')

    const [link] = await sql<{ id: string }[]>`select id from mailed_links where account_id = ${accountId}`
    const reopening = linkToken(system.config, { id: link?.id ?? '', purpose: 'reopen_account' })
    await page.goto(`${system.edge.url}/account/reopen-account#${reopening}`)
    await page.getByRole('button', { name: 'Reopen account' }).click()
    await page.getByText('Acme & Söhne is open again.').waitFor()
    expect((await system.rest('GET', '/me', { token })).status).toBe(200)
    expect(errors.filter(error => !/40[03]|422/.test(error))).toEqual([])
  })

  test('a required second factor leads a member without one to add it', async () => {
    const { page, accountId, token } = await system.openAs('/console/settings/account')
    await page.getByText('To require it of all members, you need a second factor yourself.').waitFor()
    const post = async (path: string, body: object) =>
      (await system.rest('POST', `/auth/${path}`, { body, token })).body
    const app = await post('authenticator-apps', { name: 'Phone' })
    // Ends the other sessions: the page begins again.
    const { recovery_codes: codes } = await post(`authenticator-apps/${app.id}/activate`, {
      code: codeOf(app.secret),
    })
    expect(codes).toHaveLength(10)
    const [owner] = await system.context.sql<{ email: string }[]>`
      select u.email from memberships m join users u on u.id = m.user_id where m.account_id = ${accountId}`
    await page.reload()
    await logIn(page, { email: owner?.email ?? '', password: 'correct horse' })
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(codes[0])
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'Require a second factor' }).click()
    const question = page.getByRole('dialog', { name: 'Require a second factor?' })
    expect(await violationsOf(page)).toEqual([])
    await question.getByRole('button', { name: 'Require a second factor' }).click()
    await page.getByText('Required', { exact: true }).waitFor()

    await joinAccount(system, { accountId, role: 'developer' })
    const [member] = await system.context.sql<{ email: string }[]>`
      select u.email from memberships m join users u on u.id = m.user_id
      where m.account_id = ${accountId} and m.role = 'developer'`
    const { page: other } = await system.open('/console/log-in')
    await logIn(other, { email: member?.email ?? '', password: 'correct horse' })
    await other.getByText('This account requires a second factor.').waitFor()
    expect(await violationsOf(other)).toEqual([])
    await other.getByRole('link', { name: 'Add one' }).click()
    await other.getByRole('button', { name: 'Add authenticator app' }).click()
    await other.getByRole('button', { name: 'Continue' }).click()
    const secret = (await other.getByRole('dialog').locator('code').innerText()).replaceAll(' ', '')
    await other.getByLabel('Code that the app shows').fill(codeOf(secret))
    await other.getByRole('button', { name: 'Activate' }).click()
    await other.getByLabel('I have saved the codes').check()
    await other.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => other.getByText('This account requires a second factor.').count()).toBe(0)
    await other.goto(`${system.edge.url}/console/keys`)
    await other.getByText('No API keys yet').waitFor()

    await other.goto(`${system.edge.url}/console/settings/account`)
    await expect.poll(() => other.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    for (const name of ['Save', 'Make it optional', 'Export all data'])
      expect(await other.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
    expect(await violationsOf(other)).toEqual([])
  })
})
