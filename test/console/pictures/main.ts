import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevFile, openHome, resetHome } from '../../../dev/home.ts'
import { openKeeper } from '../../../dev/keep-alive.ts'
import { showProgress } from '../../../dev/report.ts'
import { startSystem } from '../../../dev/start-system.ts'
import { assignPorts } from '../../../dev/system-processes.ts'
import { parseArgs } from '../../../platform/process/parse-args.ts'
import { fillAccount, openDemoClient } from './demo-account.ts'
import { fillPlatform } from './demo-platform.ts'
import { fillRequests } from './demo-requests.ts'
import { openBrowser } from './open-browser.ts'
import { takeAll, takePictures } from './take-pictures.ts'

const help = `
Takes the pictures of docs/console.md: starts the system with a demo account in a temporary folder, fills it with
requests, and opens its pages in Chromium. A picture is only replaced if it looks different.

  npm run console:pictures [-- options]

  --all FOLDER   writes every page at three widths, light and dark, to FOLDER instead, to be looked at
  --only TEXT    takes only the pages whose address contains TEXT
  --port N       the first port of the system, which pictures show (default 8080)
  --on FILE      uses the running system of this dev.json, and fills its account if it is empty
  --help         prints this text
`

const { wantsHelp, options } = parseArgs(
  {
    options: {
      all: { type: 'string' },
      only: { type: 'string' },
      port: { type: 'string', default: '8080' },
      on: { type: 'string' },
    },
  },
  process.argv.slice(2),
)
const { all, on, only, port } = options
if (wantsHelp) process.stdout.write(`${help.trim()}\n`)
else if (typeof on === 'string') await take(JSON.parse(readFileSync(on, 'utf8')))
else await withSystem(take)

async function take(dev: DevFile): Promise<void> {
  const client = openDemoClient(dev)
  const { apiKeys } = await client.graph('{ apiKeys(first: 100) { nodes { name } } }', {})
  if (!apiKeys.nodes.some(({ name }: { name: string }) => name === 'Storefront')) {
    await fillRequests(client, await fillAccount(client))
    await fillPlatform(client)
  }
  const browser = await openBrowser(dev)
  try {
    const taken = { dev, only: typeof only === 'string' ? only : '' }
    if (typeof all === 'string') await takeAll(browser, { ...taken, folder: all })
    else await takePictures(browser, taken)
  } finally {
    await browser.close()
  }
}

/** Runs the system in a temporary folder, which is deleted at the end and after a signal. */
async function withSystem(run: (dev: DevFile) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rubicon-pictures-'))
  const env = { ...process.env, RUBICON_HOME: folder }
  const home = openHome(env)
  const progress = showProgress(process.stdout)
  const keeper = openKeeper(progress.print)
  let stopping: Promise<void> | undefined
  const stop = async () => {
    await keeper.stopAll(10_000)
    await resetHome(home)
    rmSync(folder, { recursive: true, force: true })
  }
  const stopOnce = () => (stopping ??= stop()) // npm sends each Ctrl-C twice
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stopOnce().finally(() => process.exit(130)))
  try {
    const ports = assignPorts(Number(port))
    const { dev } = await startSystem(keeper, progress, { env, home, ports, reset: false })
    await run(dev)
  } finally {
    await stopOnce()
  }
}
