import type { Page } from 'playwright-core'

/** A picture of docs/console.md. */
export interface Picture {
  /** The file's name, without its ending. */
  name: string
  /** The address of the page, below the address of the service. */
  path: string
  width: number
  height: number
  theme: 'light' | 'dark'
  /** Brings the page into the state that the picture shows. */
  prepare?(page: Page): Promise<void>
}

const wide = { width: 1280, height: 800, theme: 'light' } as const
const phone = { width: 390, height: 780, theme: 'light' } as const

/** The pictures of docs/console.md, in its order. */
export const pictures: readonly Picture[] = [
  { ...wide, name: 'overview', path: '/console' },
  { ...phone, name: 'overview-phone', path: '/console', theme: 'dark' },
  { ...wide, name: 'palette', path: '/console', prepare: openPalette },
  { ...wide, name: 'first-steps', path: '/console/first-steps' },
  { ...wide, name: 'playground', path: '/console/playground', prepare: chatWithTwo },
  { ...wide, name: 'video', path: '/console/playground/videos', prepare: makeVideo },
  { ...wide, name: 'model', path: '/console/models?model=chat.atlas', prepare: calculate },
  { ...wide, name: 'keys', path: '/console/keys' },
  { ...wide, name: 'credentials', path: '/console/credentials' },
  { ...wide, name: 'requests', path: '/console/requests' },
  { ...wide, name: 'request', path: '/console/requests', prepare: openRequest },
  { ...wide, name: 'task', path: '/console/tasks', prepare: openFirst },
  { ...wide, name: 'callbacks', path: '/console/callbacks' },
  { ...wide, name: 'usage', path: '/console/usage' },
  { ...wide, name: 'billing', path: '/console/billing' },
  { ...wide, name: 'budgets', path: '/console/budgets' },
  { ...wide, name: 'alerts', path: '/console/alerts' },
  { ...wide, name: 'members', path: '/console/members' },
  { ...wide, name: 'audit-log', path: '/console/audit-log' },
  { ...wide, name: 'settings', path: '/console/settings' },
  { ...wide, name: 'settings-sign-in', path: '/console/settings/sign-in' },
  { ...wide, name: 'settings-account', path: '/console/settings/account' },
  { ...wide, name: 'operator-accounts', path: '/console/operator/accounts' },
  { ...wide, name: 'operator-account', path: '/console/operator/accounts', prepare: openAccount },
  { ...wide, name: 'operator-catalogue', path: '/console/operator/catalogue' },
  {
    ...wide,
    name: 'operator-entry',
    path: '/console/operator/catalogue/chat.atlas-nano',
    prepare: changeEntry,
  },
  { ...wide, name: 'operator-vendors', path: '/console/operator/vendors' },
  { ...wide, name: 'operator-books', path: '/console/operator/books', prepare: compareBooks },
  { ...wide, name: 'operator-audit-log', path: '/console/operator/audit-log' },
]

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('st')
  await page.getByRole('option', { name: /Storefront/ }).waitFor()
}

async function chatWithTwo(page: Page): Promise<void> {
  await page.getByLabel('Model', { exact: true }).selectOption('vendor_a/atlas')
  await page.getByLabel('Compare with a second model').check()
  await page.getByLabel('Second model', { exact: true }).selectOption('vendor_b/lyric')
  await page.getByLabel('Message').fill('Which of these boots are waterproof?')
  await page.keyboard.press('Enter')
  await page.getByText('First token', { exact: true }).nth(1).waitFor()
  await page.mouse.move(0, 0)
}

async function makeVideo(page: Page): Promise<void> {
  await page.getByLabel('Model', { exact: true }).selectOption('vendor_i/reel')
  await page.getByLabel('prompt', { exact: true }).fill('A paper boat in the rain')
  const succeeded = page.getByText('Succeeded')
  const earlier = await succeeded.count()
  await page.getByRole('button', { name: 'Submit' }).click()
  await succeeded.nth(earlier).waitFor()
  // The notification closes by itself after some seconds.
  await page
    .getByRole('button', { name: 'Dismiss' })
    .click({ timeout: 1_000 })
    .catch(() => undefined)
  await page.evaluate(() => scrollTo(0, 0))
}

async function calculate(page: Page): Promise<void> {
  await page.getByLabel('Output tokens').fill('2000')
  await page.getByLabel('Output tokens').blur()
}

async function openRequest(page: Page): Promise<void> {
  await page
    .getByRole('row', { name: /vendor_b\/lyric/ })
    .nth(3)
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('region', { name: 'Why it cost that' }).waitFor()
}

async function openFirst(page: Page): Promise<void> {
  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('dialog').getByRole('heading').nth(1).waitFor()
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Harbour Books' }).click()
  await page.getByRole('heading', { name: 'Harbour Books' }).waitFor()
}

/** Changes a price, and shows what will be published. */
async function changeEntry(page: Page): Promise<void> {
  const editor = page.getByLabel('Entry as JSON')
  await editor.fill((await editor.inputValue()).replace('0.30 per 1M tokens', '0.35 per 1M tokens'))
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('row').nth(1).waitFor()
}

async function compareBooks(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare the books' }).click()
  await page.getByText(/accounts compared, started at/).waitFor()
}
