import { afterEach, describe, expect, test } from 'vitest'
import { saying } from '../harness/a-client.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, keepPictures, logIn, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('the console', () => {
  const system = perFile(() => aConsole({ withMail: true }))
  afterEach(context => keepPictures(system, context))

  test('a new user signs up, creates a key, sends a request, and sees why it cost that', async () => {
    const { page, errors } = await system.open('/console/sign-up')
    await page.getByLabel('E-mail address').fill('console@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('dialog').getByLabel('Amount in US dollars').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = await page.locator('code', { hasText: /^sk-rb-/ }).innerText()
    await page.getByText('Waiting for your first request').waitFor()

    await system.credit('console@example.com')
    const response = await fetch(`${system.edge.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(saying('Hello')),
    })
    expect(response.status).toBe(200)
    await page.getByText('Your first request has arrived.').waitFor()
    await page.getByRole('link', { name: 'Open it' }).click()
    const price = page.getByRole('region', { name: 'Why it cost that' })
    await expect.poll(() => price.innerText()).toMatch(/Input.*Output.*Charged\s+\$0\.000\d+/s)
    expect(await violationsOf(page)).toEqual([])

    await page.goto(`${system.edge.url}/console/keys`)
    await page.getByRole('link', { name: 'First key' }).waitFor()
    expect(await page.content()).not.toContain(key)
    expect(errors).toEqual([])
  })

  test('a key is created with a limit, shown once, and revoked after its name is typed', async () => {
    const { page, errors } = await system.openAs('/console/keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Shop')
    await dialog.getByLabel('Spending limit').fill('-1')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const limit = dialog.getByLabel('Spending limit')
    await expect.poll(() => limit.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => limit.evaluate(element => element === document.activeElement)).toBe(true)
    expect(await violationsOf(page)).toEqual([])
    await limit.fill('5')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText(/^sk-rb-/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name: 'Shop' }).click()
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    const confirm = page.getByRole('dialog', { name: 'Revoke Shop?' })
    const revoke = confirm.getByRole('button', { name: 'Revoke key' })
    expect(await revoke.isDisabled()).toBe(true)
    await confirm.getByLabel('Type Shop to confirm').fill('Shop')
    await revoke.click()
    await page.getByText('No API keys yet').waitFor()
    expect(errors).toEqual([])
  })

  test('a top-up is paid on the payment page, and the billing page waits for it and shows the balance', async () => {
    const { page, errors } = await system.openAs('/console/billing')
    await page.getByText('$10.00').first().waitFor()
    await page.getByRole('button', { name: 'Add credits' }).click()
    const dialog = page.getByRole('dialog')
    const amount = dialog.getByLabel('Amount in US dollars')
    await amount.fill('0.5')
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await expect.poll(() => amount.getAttribute('aria-invalid')).toBe('true')
    await amount.fill('25.5')
    await dialog.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByRole('button', { name: 'Go back without paying' }).click()
    await page.getByText('You have not paid the $25.50').waitFor()
    await page.getByRole('link', { name: 'Open the payment page' }).click()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.waitForURL('**/console/billing?top_up=**')
    await page.getByText('$25.50 has been added to your credits').waitFor()
    await page.getByText('$35.50').first().waitFor()
    const top = page.getByRole('row', { name: /Top-up.*\$25\.50/ })
    await top.waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(errors).toEqual([])
  })

  test('credentials are added and moved by keyboard', async () => {
    const { page, errors } = await system.openAs('/console/credentials')
    const dialog = page.getByRole('dialog')
    for (const label of ['Main', 'Spare']) {
      await page.getByRole('button', { name: 'Add credential' }).first().click()
      await dialog.getByLabel('Label').fill(label)
      await dialog.getByLabel('API key').fill(`sk-${label}-1234567890`)
      await dialog.getByRole('button', { name: 'Add credential' }).click()
      await page.getByRole('link', { name: label }).waitFor()
    }
    const labels = () => page.getByRole('listitem').getByRole('link').allInnerTexts()
    await expect.poll(labels).toEqual(['Spare', 'Main'])
    await page.getByRole('button', { name: 'Move Main up' }).press('Enter')
    await page.getByText('Main is now at place 1.').waitFor()
    await page.reload()
    await expect.poll(labels).toEqual(['Main', 'Spare'])
    expect(await page.content()).not.toContain('sk-Main-1234567890')
    expect(await violationsOf(page)).toEqual([])
    expect(errors).toEqual([])
  })

  test('the session survives a reload and is shared by tabs; no script can read it; a log-out ends it', async () => {
    const { page, email, password } = await system.openAs('/console/keys')
    const other = await page.context().newPage()
    await Promise.all([page.reload(), other.goto(`${system.edge.url}/console/requests`)])
    await Promise.all([
      page.getByRole('heading', { name: 'API keys' }).waitFor(),
      other.getByRole('main').waitFor(),
    ])
    const readable = await page.evaluate(
      () => document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage),
    )
    expect(readable).not.toMatch(/eyJ|rb-refresh|sk-rb/)

    await page.getByRole('button', { name: /^Account and settings/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/console/log-in')
    await other.waitForURL('**/console/log-in**')
    await logIn(other, { email, password })
    await other.waitForURL('**/console/requests')
  })

  test('the command palette and the navigation work by keyboard, in German too', async () => {
    const { page } = await system.openAs('/console')
    await page.getByRole('button', { name: /^Account and settings/ }).click()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('anfra')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/requests')
    await page.getByRole('heading', { name: 'Anfragen', level: 1 }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')

    const palette = page.getByRole('dialog').getByRole('combobox')
    await page.keyboard.press('Control+k')
    await palette.fill('lyric-grand')
    await page.getByRole('option', { name: /Lyric Grand/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/models?model=**')
    await page.getByRole('dialog', { name: 'Lyric Grand' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await palette.fill('req_0123456789abcdef')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/requests?request=req_0123456789abcdef')
  })
})
