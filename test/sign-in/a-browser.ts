import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { findBinary } from '../../dev/services/find-binary.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Returns the path of an installed Chromium, or undefined. Prefers the variant without windows, which takes a third less CPU
 * time. It ignores the flag that treats an origin without TLS as secure, so a test with this flag needs `isComplete`.
 */
export function findChromium({ isComplete = false } = {}): string | undefined {
  return findBinary(isComplete ? names : ['chromium-headless-shell', ...names], process.env.PATH)
}

/** Starts a Chromium without a window. */
export function startBrowser(
  executablePath: string,
  { args = [], ...options }: Pick<LaunchOptions, 'args' | 'handleSIGINT'> = {},
): Promise<Browser> {
  return chromium.launch({ ...options, executablePath, args: ['--no-sandbox', ...args] })
}

/** Logs in with the form of the console's log-in page. */
export async function logIn(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/**
 * Opens an empty page at an origin, whose requests below `/api/` go to the service at `url`. The page has a virtual
 * authenticator.
 */
export async function aPageWithAuthenticator(
  browser: Browser,
  { origin, url }: { origin: string; url: string },
): Promise<Page> {
  const page = await browser.newPage()
  await page.route(`${origin}/**`, async route => {
    const { pathname } = new URL(route.request().url())
    if (!pathname.startsWith('/api/'))
      return route.fulfill({ contentType: 'text/html', body: '<title>Sign in</title>' })
    return route.fulfill({ response: await route.fetch({ url: url + pathname }) })
  })
  await page.goto(origin)
  await addAuthenticator(page)
  return page
}

/** Gives a page a virtual authenticator of Chromium, which keeps passkeys and verifies its user. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
