import { styleText } from 'node:util'
import type { ChosenService } from './choose-databases.ts'
import type { DevFile, Home } from './home.ts'
import type { VendorRoute } from './system-processes.ts'

/** Prints, line by line, how far a start has come. */
export interface Progress {
  /** Awaits the work, then prints its outcome and duration. */
  step<Result>(label: string, work: Promise<Result>, outcome?: (result: Result) => string): Promise<Result>
  /** One line about something that happened. */
  print(line: string): void
}

export function showProgress(output: NodeJS.WriteStream): Progress {
  const print = (line: string) => void output.write(`${line}\n`)
  const style = (format: 'green' | 'dim', text: string) => styleText(format, text, { stream: output })
  return {
    print: line => print(`  ${line}`),
    async step(label, work, outcome) {
      const startedAt = Date.now()
      const result = await work
      const seconds = `${((Date.now() - startedAt) / 1000).toFixed(1)} s`
      const printed = [label.padEnd(14), outcome?.(result) ?? '', style('dim', seconds)]
      print(`  ${style('green', '✓')} ${printed.filter(part => part !== '').join('  ')}`)
      return result
    },
  }
}

export interface RunningSystem {
  home: Home
  dev: DevFile
  database: ChosenService
  redis: ChosenService
  vendors: readonly VendorRoute[]
  /** The vendors whose key is set, with the number of their models. */
  real: string
  /** Whether all e-mails go to the mailbox. */
  catchesMail: boolean
  allowsLoopback: boolean
  /** A chat model with a credential or a simulator. */
  model: string
  /** A video model with a credential or a simulator. */
  videoModel: string
}

/** Returns the summary that `npm start` prints once the system is running. */
export function summarise(system: RunningSystem, stream: NodeJS.WriteStream): string {
  const { dev } = system
  const bold = (text: string) => styleText('bold', text, { stream })
  const lines = rowsOf(system).map(([name, text]) => `  ${name.padEnd(16)}${text}`)
  return [
    '',
    `  ${bold(`Rubicon is up: ${dev.base_url}`)}`,
    '',
    ...lines,
    '',
    `  ${bold('A first request')}`,
    '',
    ...firstRequest(system),
    '',
    `  ${bold('A video, and its end')}`,
    '',
    ...firstVideo(system),
    '',
    ...(dev.payments_url === ''
      ? []
      : [`  ${bold('A top-up: open its checkout_url, and pay')}`, '', ...firstTopUp(system), '']),
    '  Ctrl-C stops everything. What is stored stays.',
    '',
  ].join('\n')
}

function rowsOf({
  dev,
  home,
  database,
  redis,
  vendors,
  real,
  catchesMail,
  allowsLoopback,
}: RunningSystem): [name: string, text: string][] {
  const rows: [name: string, text: string, note?: string][] = [
    ['console', dev.console_url, 'open it and press “Log in”'],
    ['models', `${dev.base_url}/v1`],
    ['management', `${dev.base_url}/api/v1`],
    ['graph', dev.explorer_url, 'open it and press “Sign in”'],
    [
      'docs',
      `${dev.base_url}/docs#apiKey=${dev.api_key}`,
      'every address of /v1 and /api/v1, to read and try',
    ],
    [
      'operator',
      dev.operator_key && `${dev.base_url}/console/operator  ${dev.operator_key}`,
      'the operator’s pages, and the key that they ask for',
    ],
    ['API key', dev.api_key],
    ['log-in', `${dev.email}  ${dev.password}`],
    ['database', withoutPassword(database.url), database.origin],
    ['Redis', withoutPassword(redis.url), redis.origin],
    ['callbacks', `${dev.receiver_url}/callbacks`, 'receives and verifies them; open the page to see them'],
    ['e-mails', catchesMail ? dev.mailbox_url : '', 'are caught there; set SMTP_URL to send them'],
    ['single sign-on', dev.sign_in_url, 'at a simulated issuer; set SINGLE_SIGN_ON_FILE for real ones'],
    ['payments', dev.payments_url, 'simulated; set STRIPE_SECRET_KEY for real ones'],
    [
      'simulated',
      labels(vendors, 'simulated'),
      'set VENDOR_A_API_KEY to call OpenAI as vendor_a, and so on: docs/models.md',
    ],
    ['real', real],
    ['not reachable', labels(vendors, 'none'), 'no credential, and no simulator speaks their format'],
    [
      'loopback',
      allowsLoopback ? 'allowed as the address of vendors and callbacks: never in production' : '',
    ],
    ['files', `${home.devFile}, logs beside it`],
  ]
  const printed = rows.filter(([, text]) => text !== '')
  return printed.map(([name, text, note]) => [name, note === undefined ? text : `${text}  (${note})`])
}

/** Returns the address without its password, which the screen must not show; dev.json has the full address. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.password = ''
  return url.href
}

function firstRequest({ dev, model }: RunningSystem): string[] {
  return [
    `  curl ${dev.base_url}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${dev.api_key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  ]
}

/** The commands that submit a video and poll it. The callback appears on the receiver's page. */
function firstVideo({ dev, videoModel }: RunningSystem): string[] {
  const address = `${dev.base_url}/v1/videos/generations`
  const body = { model: videoModel, prompt: 'A paper boat', callback_url: `${dev.receiver_url}/callbacks` }
  return [
    `  curl ${address} \\`,
    `    -H 'Authorization: Bearer ${dev.api_key}' -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(body)}'`,
    `  curl ${address}/ID -H 'Authorization: Bearer ${dev.api_key}'`,
    '  subscription { taskUpdated(id: "ID") { status progress } } watches it: docs/media.md',
  ]
}

function firstTopUp({ dev }: RunningSystem): string[] {
  return [
    `  curl ${dev.base_url}/api/v1/billing/topup \\`,
    `    -H 'Authorization: Bearer ${dev.provisioning_key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"amount": 25}'`,
  ]
}

/** Lists the labels of one kind. Three or more in a row are shortened to `vendor_f to vendor_q`. */
function labels(vendors: readonly VendorRoute[], kind: VendorRoute['kind']): string {
  const runs: string[][] = []
  for (const [index, vendor] of vendors.entries()) {
    if (vendor.kind !== kind) continue
    if (vendors[index - 1]?.kind === kind) runs.at(-1)?.push(vendor.label)
    else runs.push([vendor.label])
  }
  return runs.map(run => (run.length > 2 ? `${run[0]} to ${run.at(-1)}` : run.join(', '))).join(', ')
}
