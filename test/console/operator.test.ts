import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eraseAccounts } from '../../domain/closures/erase-accounts.ts'
import { saying } from '../harness/a-client.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, closePage, violationsOf } from './a-console.ts'
import { operatorPages } from './pages.ts'

describe.skipIf(!chromium)("the operator's pages", () => {
  const system = perFile(() => aConsole())

  /** Enters the operator's key on the page that is open. */
  async function enterKey(page: Page): Promise<void> {
    await page.getByLabel('Operator key').fill(system.operatorKey)
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  }

  /** Opens a page in a browser without cookies, and enters the operator's key. */
  async function openAsOperator(path: string) {
    const opened = await system.open(path)
    await enterKey(opened.page)
    return opened
  }

  /** Returns the status of a chat request with an API key. */
  async function statusOfChat(key: string): Promise<number> {
    const response = await fetch(`${system.edge.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(saying('Hello')),
    })
    await response.text()
    return response.status
  }

  /** Closes the account that is open on the page, after its name was typed. */
  async function closeAccount(page: Page, name: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Close account' }).click()
    await dialog.getByLabel('Reason').fill('The customer asked for it.')
    expect(await dialog.getByRole('button', { name: 'Close account' }).isDisabled()).toBe(true)
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
    await dialog.getByRole('button', { name: 'Close account' }).click()
    await page.getByText('Data are deleted at').waitFor()
  }

  test('a wrong key is refused beside its field; the right one is in no storage, and gone after a reload', async () => {
    const { page, errors } = await system.open('/console/operator')
    await page.getByRole('heading', { name: 'Operator key' }).waitFor()
    const field = page.getByLabel('Operator key')
    await field.fill('sk-rb-abcdefghijkl-and-more')
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByText('An operator key begins with sk-rb-op-.', { exact: false }).last().waitFor()
    await field.fill(`sk-rb-op-${'x'.repeat(48)}`)
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByText('The service does not know this key.', { exact: false }).waitFor()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await violationsOf(page)).toEqual([])

    await enterKey(page)
    await page.waitForURL('**/console/operator/accounts')
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.context().setOffline(false)
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await palette.getByRole('combobox').fill('atlas')
    await palette.getByRole('option', { name: /chat\.atlas / }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await palette.getByRole('combobox').fill('catalog')
    await palette.getByRole('option', { name: 'Catalogue Page', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /chat\.atlas$/ }).waitFor()
    const kept = await page.evaluate(async () => {
      const databases = await indexedDB.databases()
      const caches = await window.caches?.keys()
      const { cookie } = document
      return JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        ...[cookie, location.href, history.state, window.name, databases, caches],
        performance.getEntriesByType('resource').map(({ name }) => name),
        document.documentElement.outerHTML,
      ])
    })
    expect(kept).not.toContain(system.operatorKey.slice(9))
    const cookies = await page.context().cookies()
    expect(cookies).toEqual([])

    await page.reload()
    await page.getByLabel('Operator key').waitFor()
    expect(await page.getByRole('link', { name: /chat\.atlas$/ }).count()).toBe(0)
    await enterKey(page)
    await page.getByRole('link', { name: /chat\.atlas$/ }).waitFor()
    await page.getByRole('button', { name: /^Operator and settings/ }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel('Operator key').waitFor()
    expect(errors.filter(error => !error.includes('401'))).toEqual([])
  })

  test('an operator changes a price, and the open page of the model shows it, and calculates with it', async () => {
    const id = 'chat.atlas-mini'
    const customer = await system.openAs(`/console/models?model=${id}`)
    const prices = customer.page.getByRole('region', { name: 'Prices', exact: true })
    await prices.getByRole('row', { name: /Output.*\$2\.00/ }).waitFor()
    await customer.page.getByLabel('Output tokens').fill('1000000')
    const price = customer.page.getByRole('region', { name: 'Price calculator' })
    await price.getByText('$2.00', { exact: true }).first().waitFor()
    expect(await violationsOf(customer.page)).toEqual([])

    const { page, errors } = await openAsOperator(`/console/operator/catalogue/${id}`)
    const editor = page.getByLabel('Entry as JSON')
    const first = await editor.inputValue()
    const changed = (output: string) => {
      const entry = JSON.parse(first)
      for (const rate of entry.prices.rates) if (rate.of === 'output') rate.price = output
      return JSON.stringify(entry, null, 2)
    }
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
    }
    await editor.fill('{ "id": 1,\n}')
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByText('Not valid JSON (line 2)', { exact: false }).waitFor()
    await editor.fill(changed('a lot'))
    await publish()
    const fault = page
      .getByRole('alert')
      .getByRole('button', { name: /prices\.rates\[\d\]\.price \(line \d+\)/ })
    await fault.click()
    expect(
      await editor.evaluate(area =>
        area instanceof HTMLTextAreaElement ? area.value.slice(area.selectionStart, area.selectionEnd) : '',
      ),
    ).toContain('a lot')
    expect(await violationsOf(page)).toEqual([])

    await editor.fill(changed('7.77 per 1M tokens'))
    await page.getByRole('button', { name: 'Publish…' }).click()
    const confirm = page.getByRole('dialog', { name: 'Publish this entry?' })
    await confirm
      .getByRole('row', { name: /prices\.rates\[\d\]\.price.*2 per 1M tokens.*7\.77 per 1M tokens/ })
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    await confirm.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('The entry is published.').waitFor()
    await prices.getByRole('row', { name: /Output.*\$7\.77/ }).waitFor()
    await price.getByText('$7.77', { exact: true }).first().waitFor()
    await page
      .getByRole('row', { name: /ada.*prices\.rates\[\d\]\.price/ })
      .getByRole('button')
      .first()
      .click()
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /7\.77 per 1M tokens/ })
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('row', { name: /Entry published ada chat\.atlas-mini.*prices/ }).waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await page
      .getByRole('row', { name: /Entry published/ })
      .getByRole('link', { name: id })
      .waitFor()
    expect([...customer.errors, ...errors.filter(error => !error.includes('400'))]).toEqual([])
  })

  test('a conflict shows both versions, and the text is published over the other one only on request; a model is created and deleted', async () => {
    const id = 'chat.atlas'
    const { page, errors } = await openAsOperator(`/console/operator/catalogue/${id}`)
    const editor = page.getByLabel('Entry as JSON')
    const mine = JSON.parse(await editor.inputValue())
    const read = async () =>
      (await system.operate(`{ catalogueEntry(id: "${id}") { declaration model { revision } } }`))
        .catalogueEntry
    const { declaration, model } = await read()
    await system.operate('mutation ($input: PutModelInput!) { putModel(input: $input) { model { id } } }', {
      input: { entry: { ...declaration, name: 'Atlas of grace' }, expectedRevision: model.revision },
    })
    await editor.fill(JSON.stringify({ ...mine, description: 'My description' }, null, 2))
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
    }
    await publish()
    await page.getByText(/have published revision \d+ since/).waitFor()
    await page
      .getByRole('region', { name: 'What they changed' })
      .getByRole('row', { name: /name.*Atlas of grace/ })
      .waitFor()
    await page
      .getByRole('region', { name: 'What your text would change' })
      .getByRole('row', { name: /description.*My description/ })
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect((await read()).declaration.name).toBe('Atlas of grace')
    await page.getByRole('button', { name: /Keep my text over revision/ }).click()
    await publish()
    await page.getByText('The entry is published.').waitFor()
    expect((await read()).declaration).toMatchObject({ name: mine.name, description: 'My description' })

    await page.getByRole('link', { name: 'Catalogue' }).first().click()
    await page.getByRole('link', { name: 'New model' }).click()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/prices/)
      .first()
      .waitFor()
    const added = { ...mine, id: 'chat.meridian', model: 'vendor_a/meridian', name: 'Meridian', aliases: [] }
    await editor.fill(JSON.stringify(added, null, 2))
    await publish()
    await page.getByRole('heading', { name: 'Meridian' }).waitFor()
    await page.waitForURL('**/catalogue/chat.meridian')
    const customer = await system.openAs('/console/models?search=meridian')
    await customer.page.getByRole('link', { name: /Meridian/ }).waitFor()

    await page.getByRole('button', { name: 'Delete model' }).click()
    const question = page.getByRole('dialog', { name: 'Delete chat.meridian?' })
    await question.getByLabel('Type chat.meridian to confirm').fill('chat.meridian')
    await question.getByRole('button', { name: 'Delete model' }).click()
    await page.getByText('The model is deleted.').waitFor()
    await customer.page.reload()
    await customer.page.getByText('Nothing matches').waitFor()
    expect([...customer.errors, ...errors.filter(error => !error.includes('400'))]).toEqual([])
  })

  test('an operator suspends and resumes an account, closes and reopens it, and its key is refused meanwhile', async () => {
    const { token, email } = await system.aPerson()
    await system.credit(email)
    const { body } = await system.rest('POST', '/api-keys', { token, body: { name: 'Shop' } })
    expect(await statusOfChat(body.key)).toBe(200)

    const { page, errors } = await openAsOperator('/console/operator/accounts')
    await page.getByLabel('Name, e-mail address or ID').fill(email)
    await page.keyboard.press('Enter')
    await page.waitForURL('**search=**')
    await page.getByLabel('Tier').selectOption('Paying')
    const row = page.getByRole('row', { name: new RegExp(email) })
    await row.getByRole('link').click()
    await page.getByRole('button', { name: 'Suspend account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText('every request with a key or session of this account fails with 403', { exact: false })
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByLabel('Reason').fill('Payments were disputed.')
    await dialog.getByRole('button', { name: 'Suspend account' }).click()
    await page.getByText('The account is suspended.').waitFor()
    await page.getByText('Payments were disputed.').waitFor()
    expect(await statusOfChat(body.key)).toBe(403)

    await page.getByRole('button', { name: 'Resume account' }).click()
    await dialog.getByRole('button', { name: 'Resume account' }).click()
    await page.getByText('The account is resumed.').waitFor()
    await expect.poll(() => statusOfChat(body.key)).toBe(200)

    await closeAccount(page, email)
    expect(await statusOfChat(body.key)).toBe(403)
    await page.getByRole('button', { name: 'Reopen account' }).click()
    await dialog.getByLabel('Reason').fill('The customer came back.')
    await dialog.getByRole('button', { name: 'Reopen account' }).click()
    await page.getByText('The account is reopened.').waitFor()
    await expect.poll(() => statusOfChat(body.key)).toBe(200)
    expect(errors).toEqual([])
  })

  test("credits are added and removed by hand, and the customer's open page shows the balance", async () => {
    const customer = await system.openAs('/console/billing')
    await customer.page.getByText('$10.00').first().waitFor()
    const { page, errors } = await openAsOperator(`/console/operator/accounts/${customer.accountId}`)
    const change = async (button: string, amount: string, shown: RegExp) => {
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Amount in US dollars').fill(amount)
      await dialog.getByText(shown).waitFor()
      await dialog.getByLabel('Reason').fill('A test by hand')
      expect(await violationsOf(page)).toEqual([])
      await dialog.getByRole('button', { name: button }).click()
    }
    await change('Add credits', '5.25', /change from \$10\.00 to \$15\.25/)
    await page.getByText('$5.25 added. The credits are now $15.25.').waitFor()
    await page.getByRole('row', { name: /Credit by an operator A test by hand .*\$5\.25/ }).waitFor()
    await customer.page.getByText('$15.25').first().waitFor()
    await customer.page
      .getByRole('row', { name: /Credit by the operator A test by hand .*\$5\.25/ })
      .waitFor()

    await change('Remove credits', '100', /change from \$15\.25 to -\$84\.75/)
    const refusal = page.getByRole('dialog').getByRole('alert')
    await expect.poll(() => refusal.innerText()).toMatch(/At most \$15\.25 can be removed/)
    await page.getByRole('dialog').getByLabel('Amount in US dollars').fill('0.25')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove credits' }).click()
    await page.getByText('$0.25 removed. The credits are now $15.00.').waitFor()
    await customer.page.getByText('$15.00').first().waitFor()
    expect([...customer.errors, ...errors]).toEqual([])
  })

  test('a view shows members and keys without secrets, second factors are reset, a limit is changed, and data are deleted', async () => {
    const person = await system.aPerson()
    const { token, email, accountId } = person
    const { body } = await system.rest('POST', '/api-keys', { token, body: { name: 'Shop' } })
    const { page, errors } = await openAsOperator(`/console/operator/accounts/${accountId}`)
    await page.getByRole('button', { name: 'Open the view' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The customer lost a phone.')
    await dialog.getByRole('button', { name: 'Open the view' }).click()
    await page.getByRole('row', { name: new RegExp(`^${email}`) }).waitFor()
    await page.getByRole('row', { name: /Shop sk-rb-.* Active/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(await page.content()).not.toContain(body.key)
    expect(await page.content()).not.toContain('rb-view-')

    await page.getByRole('button', { name: `Reset the second factors of ${email}` }).click()
    await dialog.getByLabel('Reason').fill('Identified by phone.')
    await dialog.getByRole('button', { name: 'Reset second factors' }).click()
    await page.getByText('The second factors are removed. Sessions ended: 1.').waitFor()

    await page.getByRole('button', { name: 'API keys', exact: true }).click()
    await dialog.getByLabel('Limit, in API keys').fill('7')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^API keys Set for this account keys 7/ }).waitFor()
    // The reset has ended the member's sessions, so the log is read from the database.
    const reasons = await system.context.sql<{ action: string; reason: string }[]>`
      select action, reason from audit_log where account_id = ${accountId} and reason is not null order by id`
    expect([...reasons]).toEqual([
      { action: 'viewAccount', reason: 'The customer lost a phone.' },
      { action: 'resetSecondFactors', reason: 'Identified by phone.' },
    ])

    await closeAccount(page, email)
    await system.context.sql`update accounts set erase_at = now() - interval '1 day' where id = ${accountId}`
    expect(await eraseAccounts(system.context)).toBe(1)
    await page.reload()
    await enterKey(page)
    await page.getByRole('heading', { name: 'Deleted account' }).waitFor()
    await page.getByText('Data deleted', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /account$|^Open the view/ }).count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('the books of all accounts are compared, and a difference leads to its account', async () => {
    const { accountId } = await system.aPerson()
    const { page, errors } = await openAsOperator('/console/operator/books')
    await page.getByRole('button', { name: 'Compare the books' }).click()
    await page.getByText('All books agree.').waitFor()
    await page.getByText(/^\d+ accounts compared, started at/).waitFor()
    await page.getByText('No top-up is stuck').waitFor()

    const { sql } = system.context
    await sql`
      insert into balances (account_id, credits_nanos) values (${accountId}, 1)
      on conflict (account_id) do update set credits_nanos = balances.credits_nanos + 1`
    onTestFinished(async () => {
      await sql`update balances set credits_nanos = credits_nanos - 1 where account_id = ${accountId}`
    })
    await page.getByRole('button', { name: 'Compare the books' }).click()
    await page.getByText('Differences: 1').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: accountId }).click()
    await page.getByRole('button', { name: 'Suspend account' }).waitFor()
    expect(errors).toEqual([])
  })

  test('the edge reports its calls to vendors, and their page shows them', async () => {
    const { token, email } = await system.aPerson()
    await system.credit(email)
    const { body } = await system.rest('POST', '/api-keys', { token, body: { name: 'Shop' } })
    expect(await statusOfChat(body.key)).toBe(200)
    const { page, errors } = await openAsOperator('/console/operator/vendors')
    // Processes report, and the page reads, every ten seconds.
    await page
      .getByRole('row', { name: /default Closed \d+ answered/ })
      .first()
      .waitFor({ timeout: 50_000 })
    expect(await violationsOf(page)).toEqual([])
    expect(errors).toEqual([])
  })

  describe('every page', () => {
    const stranger = perFile(() => system.open('/console/operator'), closePage)

    test.each(operatorPages)(
      '%s has no violation of accessibility rules and policy, wide and narrow',
      async path => {
        const { page, errors } = stranger
        errors.length = 0
        await page.setViewportSize({ width: 1280, height: 720 })
        await page.goto(system.edge.url + path)
        await enterKey(page)
        await page.getByRole('main').getByRole('heading').first().waitFor()
        await page.waitForLoadState('networkidle')
        expect(await violationsOf(page)).toEqual([])
        await page.setViewportSize({ width: 360, height: 740 })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect(overflow).toBeLessThanOrEqual(0)
        await page.getByRole('button', { name: 'Open the menu' }).click()
        expect(await violationsOf(page)).toEqual([])
        await page.keyboard.press('Escape')
        expect(await page.title()).toMatch(/ · Rubicon$/)
        expect(errors).toEqual([])
      },
    )

    test('the pages speak German too', async () => {
      const { page } = stranger
      await page.setViewportSize({ width: 1280, height: 720 })
      await page.goto(`${system.edge.url}/console/operator/vendors`)
      await enterKey(page)
      await page.getByRole('button', { name: /^Operator and settings/ }).click()
      await page.getByRole('button', { name: 'Deutsch' }).click()
      await page.getByRole('heading', { name: 'Anbieter' }).waitFor()
      await page.getByRole('button', { name: 'English' }).click()
      await page.getByRole('heading', { name: 'Vendors' }).waitFor()
    })
  })
})
