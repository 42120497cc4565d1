import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of an installed Chromium, or undefined. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.flatMap(folder => names.map(name => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts a Chromium without a window. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/**
 * Opens an empty page at an origin, whose requests below `/api/` go to the service at `url`. The page has a virtual
 * authenticator of Chromium, which keeps passkeys and verifies its user.
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
  return page
}
