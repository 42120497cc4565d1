import { afterEach, describe, expect, test } from 'vitest'
import { joinAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, keepPictures, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('the account in the console', () => {
  const system = perFile(() => aConsole({ withMail: true }))
  afterEach(context => keepPictures(system, context))

  test('a member who may not top up and invite sees why', async () => {
    const { page, errors, accountId, email, token } = await system.openAs('/console/billing')
    await system.rest('POST', '/api-keys', { token, body: { name: 'Shop' } })
    await system.context.sql`
      update memberships set role = 'viewer'
      where account_id = ${accountId} and user_id = (select id from users where email = ${email})`
    await page.reload()
    const add = page.getByRole('button', { name: 'Add credits' }).first()
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true')
    await add.press('Enter')
    await page
      .getByText(/Your role in this account, Viewer, does not permit this/)
      .first()
      .waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])

    await page.goto(`${system.edge.url}/console/members`)
    const invite = page.getByRole('button', { name: 'Invite member' })
    await expect.poll(() => invite.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('main').getByText('does not permit this').waitFor()
    await page.getByRole('link', { name: email }).click()
    await expect.poll(() => page.getByRole('dialog').getByLabel('Role').isDisabled()).toBe(true)

    await page.goto(`${system.edge.url}/console/keys`)
    await page.getByRole('link', { name: 'Shop' }).click()
    const key = page.getByRole('dialog')
    await expect.poll(() => key.getByLabel('Name').isDisabled()).toBe(true)
    await key.getByText('does not permit this').waitFor()
    expect(errors).toEqual([])
  })

  test('a budget is created for a tag, changed, and ended', async () => {
    const { page, errors } = await system.openAs('/console/budgets')
    await page.getByRole('button', { name: 'Create budget' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Counts').selectOption('A tag')
    await dialog.getByLabel("The tag's key").fill('team')
    await dialog.getByLabel("The tag's value").fill('search')
    const limit = dialog.getByLabel('Limit in US dollars')
    await limit.fill('-1')
    await dialog.getByRole('button', { name: 'Create budget' }).click()
    await expect.poll(() => limit.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await limit.fill('50')
    await dialog.getByRole('button', { name: 'Create budget' }).click()
    const row = page.getByRole('row', { name: /team=search Refuse requests.*\$0\.00 of \$50\.00/ })
    await row.getByRole('link').click()
    await limit.fill('75')
    await dialog.getByLabel('At the limit').selectOption('Only notify')
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('row', { name: /team=search Only notify.*of \$75\.00/ })
      .getByRole('link')
      .click()
    await page.goto(`${system.edge.url}/console/audit-log?action=updateBudget`)
    await page
      .getByRole('row', { name: /Budget changed/ })
      .getByRole('link')
      .click()
    await dialog.getByRole('link', { name: 'Open it' }).click()
    await dialog.getByRole('button', { name: 'End budget' }).click()
    const confirm = page.getByRole('dialog', { name: 'End this budget?' })
    await confirm.getByRole('button', { name: 'End budget' }).click()
    await page.getByText('No budgets yet').waitFor()
    expect(errors).toEqual([])
  })

  test('the audit log shows who did what to which object; its filters and its panel are in the address', async () => {
    const { page, errors, token, email, accountId } = await system.openAs('/console/audit-log')
    const { body: key } = await system.rest('POST', '/api-keys', { token, body: { name: 'Deploy' } })
    await system.operate(
      'mutation ($input: CreditAccountInput!) { creditAccount(input: $input) { balance { credits } } }',
      {
        input: { accountId, amount: '5', reason: 'For the outage', idempotencyKey: 'audit' },
      },
    )
    await page.reload()
    await page.getByRole('row', { name: `API key created ${email} API key Deploy` }).waitFor()
    await page
      .getByRole('row', { name: 'Credits added by an operator Operator (ada)' })
      .getByRole('link')
      .click()
    const panel = page.getByRole('dialog', { name: 'Entry' })
    await panel.getByText('For the outage').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')

    const rows = page.getByRole('row', { name: /@|Operator/ })
    await page.getByLabel('Action').selectOption('API key created')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.getByRole('link').click()
    await panel.getByText(/\bname\b/).waitFor()
    await page.reload()
    await panel.getByRole('link', { name: 'Everything about this object' }).click()
    await page.waitForURL(`**/console/audit-log?target=${key.id}`)
    await rows.waitFor()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByLabel('To', { exact: true }).press('Enter')
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(2)
    expect(errors).toEqual([])
  })

  test('members are invited, change their role and are removed, after the password confirmed it', async () => {
    const { page, errors, accountId, email, password } = await system.openAs('/console/members')
    const { sql } = system.context
    await joinAccount(system, { accountId, role: 'viewer' })
    const [viewer] = await sql<{ email: string }[]>`
      select u.email from memberships m join users u on u.id = m.user_id
      where m.account_id = ${accountId} and m.role = 'viewer'`
    await sql`update users set email_confirmed_at = now() where email = ${email}`
    await sql`
      update refresh_tokens set confirmed_at = now() - interval '11 minutes'
      where user_id = (select id from users where email = ${email})`
    await page.reload()

    const dialog = page.getByRole('dialog', { name: 'Invite a member' })
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await page.getByRole('button', { name: 'Invite member' }).click()
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByLabel('Role').selectOption('Billing')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await confirmation.getByLabel('Password').fill('wrong password')
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    const proof = confirmation.getByLabel('Password')
    await expect.poll(() => proof.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])
    await proof.fill(password)
    await confirmation.getByRole('button', { name: 'Confirm' }).click()
    const address = dialog.getByLabel('E-mail address')
    await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true')
    await dialog.getByText('The person with this address is already a member.').waitFor()
    await address.fill('grace@example.com')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    const invitations = page.getByRole('region', { name: 'Open invitations' })
    await invitations.getByRole('row', { name: /grace@example\.com Billing Open/ }).waitFor()

    const panel = page.getByRole('dialog')
    await invitations.getByRole('link', { name: 'grace@example.com' }).click()
    await panel.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The invitation to grace@example.com is on its way.').waitFor()
    await invitations.getByRole('link', { name: 'grace@example.com' }).click()
    await panel.getByRole('button', { name: 'Revoke invitation' }).click()
    const revoke = page.getByRole('dialog', { name: 'Revoke the invitation to grace@example.com?' })
    await revoke.getByRole('button', { name: 'Revoke invitation' }).click()
    await page.getByText('No open invitations').waitFor()

    const members = page.getByRole('region', { name: 'Members' })
    const other = viewer?.email ?? ''
    await members.getByRole('link', { name: other }).click()
    await panel.getByLabel('Role').selectOption('Developer')
    await panel.getByRole('button', { name: 'Save' }).click()
    await members.getByRole('row', { name: new RegExp(`${other} Developer`) }).waitFor()
    await members.getByRole('link', { name: email }).click()
    await panel.getByLabel('Role').selectOption('Viewer')
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => panel.getByRole('alert').innerText()).toMatch(/owner/)
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await members.getByRole('link', { name: other }).click()
    await panel.getByRole('button', { name: 'Remove member' }).click()
    const removal = page.getByRole('dialog', { name: `Remove ${other}?` })
    await removal.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText('The member is removed.').waitFor()
    await expect.poll(() => members.getByRole('row').count()).toBe(2)
    // The wrong password was refused with 403, which browsers report.
    expect(errors.filter(error => !error.includes('403'))).toEqual([])
  })
})
