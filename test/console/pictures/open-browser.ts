import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { DevFile } from '../../../dev/home.ts'
import { findChromium, startBrowser } from '../../sign-in/a-browser.ts'

/** A browser in which the demo account is logged in. */
export interface DemoBrowser {
  /** A page for pictures, and one without a session. */
  page: Page
  stranger: Page
  close(): Promise<void>
}

const visitor = { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' } as const

/** Throws if no Chromium is installed. */
export async function openBrowser(dev: DevFile): Promise<DemoBrowser> {
  const path = findChromium()
  if (!path) throw new Error('Pictures need Chromium on the PATH. On Debian: apt-get install chromium')
  // By default, Playwright ends this process on Ctrl-C, before the system has stopped.
  const browser = await startBrowser(path, { handleSIGINT: false })
  const context = await logIn(browser, dev)
  const strangers = await browser.newContext(visitor)
  return {
    page: await context.newPage(),
    stranger: await strangers.newPage(),
    close: () => browser.close(),
  }
}

async function logIn(browser: Browser, dev: DevFile): Promise<BrowserContext> {
  const origin = dev.base_url
  // As console/session/session.ts marks a browser with a session.
  const localStorage = [{ name: 'has-session', value: 'true' }]
  const context = await browser.newContext({
    ...visitor,
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  })
  await context.request.post(`${origin}/api/v1/auth/log-in`, {
    headers: { 'x-session-cookie': '1', origin },
    data: { email: dev.email, password: dev.password },
    failOnStatusCode: true,
  })
  return context
}
