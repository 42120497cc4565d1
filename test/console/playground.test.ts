import { afterEach, describe, expect, test } from 'vitest'
import { logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, keepPictures, violationsOf } from './a-console.ts'

describe.skipIf(!chromium)('the playground', () => {
  const system = perFile(() => aConsole({ withWorker: true }))
  afterEach(context => keepPictures(system, context))

  test('a chat is streamed to two models and paid with the session; the revoked key refuses the next one', async () => {
    const { page, errors, accountId } = await system.openAs('/console/playground')
    await page.getByLabel('Model', { exact: true }).selectOption('vendor_a/atlas')
    await page.getByLabel('Compare with a second model').check()
    await page.getByLabel('Second model', { exact: true }).selectOption('vendor_b/lyric')
    await page.getByLabel('max_tokens').fill('40')
    await page.getByLabel('Message').fill('Hello there')
    await page.keyboard.press('Enter')
    for (const model of ['vendor_a/atlas', 'vendor_b/lyric']) {
      const answer = page.getByRole('article', { name: `Answer of ${model}` })
      await expect
        .poll(() => answer.innerText())
        .toMatch(/Hello there.*Cost\s+\$0\.000\d+\s+Tokens\s+\d+ in, \d+ out\s+First token\s+[\d.]+ m?s/s)
    }
    expect(await violationsOf(page)).toEqual([])
    const logs = await logsOf(system, { accountId })
    expect(logs.map(({ model, status, streamed }) => [model, status, streamed]).sort()).toEqual([
      ['vendor_a/atlas', 200, true],
      ['vendor_b/lyric', 200, true],
    ])
    await page.getByRole('button', { name: 'As code' }).click()
    const code = page.getByRole('dialog', { name: 'This conversation as code' })
    await code.getByText(`${system.edge.url}/v1/chat/completions`).waitFor()
    expect(await code.innerText()).not.toMatch(/sk-rb|eyJ/)
    await page.keyboard.press('Escape')

    await page.getByLabel('Compare with a second model').uncheck()
    const other = await page.context().newPage()
    await other.goto(`${system.edge.url}/console/keys`)
    await other.getByRole('table').getByRole('link', { name: 'Playground' }).click()
    await other.getByRole('button', { name: 'Revoke key' }).click()
    await other.getByLabel('Type Playground to confirm').fill('Playground')
    await other
      .getByRole('dialog', { name: 'Revoke Playground?' })
      .getByRole('button', { name: 'Revoke key' })
      .click()
    await other.getByText('No API keys yet').waitFor()
    await page.getByLabel('Message').fill('Again')
    await page.keyboard.press('Enter')
    await page.getByText('The key of the playground was revoked.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Create it again' }).click()
    await page.getByText('The playground has a key again.').first().waitFor()
    await page.getByLabel('Message').fill('And now')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await logsOf(system, { accountId })).filter(({ status }) => status === 200).length)
      .toBe(3)
    expect(errors.filter(error => !error.includes('403'))).toEqual([])
  })

  test('an answer is stopped, and what was produced is charged', async () => {
    const { page, accountId } = await system.openAs('/console/playground')
    await page.getByLabel('Model', { exact: true }).selectOption('vendor_a/atlas')
    await page.getByLabel('Message').fill('Tell me a story [[fault: stall;n=3]]')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article', { name: 'Answer of vendor_a/atlas' })
    await expect.poll(() => answer.innerText()).toMatch(/read/)
    await page.getByRole('button', { name: 'Stop' }).click()
    await answer.getByText('Stopped.').waitFor()
    await expect
      .poll(async () => (await logsOf(system, { accountId })).map(({ status }) => status))
      .toEqual([499])
  })

  test('a video is submitted, watched to its end and played; its task and callback are shown', async () => {
    const { page, errors, accountId } = await system.openAs('/console/playground/videos')
    await page.getByLabel('Model', { exact: true }).selectOption('vendor_i/reel')
    await page.getByRole('button', { name: 'Submit' }).click() // the browser asks for the prompt
    await page.getByLabel('prompt', { exact: true }).fill('A paper boat')
    await page.getByLabel('callback_url').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Submit' }).click()
    const callback = page.getByLabel('callback_url')
    await expect.poll(() => callback.getAttribute('aria-invalid')).toBe('true')
    await callback.fill('https://callbacks.invalid/hook')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('The task is submitted.').waitFor()
    await page.getByText('Succeeded').waitFor()
    const video = page.getByLabel('The generated video')
    await expect
      .poll(() => video.evaluate(element => (element instanceof HTMLVideoElement ? element.duration : 0)))
      .toBeGreaterThan(0)
    expect(await violationsOf(page)).toEqual([])
    const { credits } = (
      await system.context.sql`
      select credits_nanos as credits from current_balances where account_id = ${accountId}`
    )[0]!
    expect(credits).toBe(9_650_000_000n)

    await page.getByRole('link', { name: 'Details' }).click()
    await page.waitForURL('**/console/tasks?task=task_*')
    const dialog = page.getByRole('dialog', { name: 'Task' })
    await dialog.getByText('https://callbacks.invalid/hook').waitFor()
    await expect.poll(() => dialog.innerText()).toMatch(/Charged\s+\$0\.35/)
    await dialog.getByText('1.', { exact: false }).first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The callback is being sent again.').waitFor()
    expect(errors.filter(error => !error.includes('400'))).toEqual([])
  })

  test('the secret of callbacks is rotated, and the new one is shown once', async () => {
    const { page, errors } = await system.openAs('/console/callbacks')
    await page.getByText('Current secret').waitFor()
    await page.getByRole('button', { name: 'Rotate' }).click()
    const confirm = page.getByRole('dialog', { name: 'Rotate the signing secret?' })
    await confirm.getByLabel('Overlap in hours').fill('0')
    await confirm.getByRole('button', { name: 'Rotate' }).click()
    const secret = await page
      .getByRole('dialog', { name: 'The new signing secret' })
      .getByText(/^whsec_/)
      .innerText()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(secret)
    expect(errors).toEqual([])
  })
})
