import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { DevFile } from '../../dev/home.ts'

const checkout = join(import.meta.dirname, '../..')
const readme = readFileSync(join(checkout, 'README.md'), 'utf8')
/** The body of the README's first request, which `npm start` prints too. */
const firstRequest = /-d '(\{"model".*\})'/.exec(readme)![1]!

test('npm start brings up a system that answers, survives kill -9, leaves nothing behind, and comes back as it was', async () => {
  const home = await aFolder()
  const port = await freePorts()
  const system = startSystem(home, { port })
  await system.says('Rubicon is up')
  await system.says(firstRequest)
  const dev = devFile(home)
  expect(dev.base_url).toBe(`http://127.0.0.1:${port}`)
  expect(await chatStatus(dev)).toBe(200)
  const { balance, apiKeys } = await ask(
    dev,
    '{ me { balance { credits held } apiKeys { name usage { requests } } } }',
  )
  expect(balance).toEqual({ held: '0', credits: expect.stringMatching(/^99\.99/) })
  expect((await fetch(`${dev.receiver_url}/callbacks`)).status).toBe(200)
  expect(dev.callback_secret).toMatch(/^whsec_/)
  expect(apiKeys).toContainEqual({ name: 'demo', usage: { requests: 1 } })
  const alert = await setAlert(dev, balance.credits)
  expect(alert.status).toBe(201)
  expect(await chatStatus(dev)).toBe(200)
  await expect
    .poll(() => subjectsAt(dev), { timeout: 10_000 })
    .toEqual([expect.stringMatching(/^Your credits are below/)])

  const followed = followPage(home)
  await topUp(dev, 25)
  await expect.poll(async () => (await balanceOf(dev)).credits).toBeGreaterThan(124)
  const said = await followed
  for (const words of ['"status":"success"', '"isVerified":true', '"cost":"0.35"', 'event: complete'])
    expect(said).toContain(words)

  const processes = ['edge', 'control', 'worker']
  for (const name of processes) process.kill(pidOf(home, name), 'SIGKILL')
  for (const name of processes) {
    await system.says(`${name} ended (SIGKILL): restarting`)
    await system.says(`${name} is running again`)
  }
  expect(await chatStatus(dev)).toBe(200)
  const { credits, held } = await balanceOf(dev)
  expect(held).toBe(0)

  for (let tries = 0; tries < 11; tries++) await logInStatus({ ...dev, password: 'wrong' })
  expect(await logInStatus(dev)).toBe(429)
  const intruder = startSystem(home, { port: await freePorts(), command: withoutNpm })
  expect(await intruder.exitCode).toBe(1)
  expect(intruder.words()).toContain(`Rubicon is already running from ${home}: stop it first`)
  system.pressCtrlC()
  expect(await system.exitCode).toBe(0)
  expect(await portsInUse(port)).toEqual([])

  const second = startSystem(home, { port })
  await second.says('Rubicon is up')
  const { jwt: _, ...lasting } = dev
  expect(devFile(home)).toMatchObject(lasting)
  expect(await balanceOf(devFile(home))).toMatchObject({ credits, held: 0 })
  second.tell('SIGTERM')
  expect(await second.exitCode).toBe(0)

  const redisUrl = inject('redisUrl')
  const anew = startSystem(home, { port, words: ['--reset'], env: { REDIS_URL: redisUrl } })
  await anew.says('Rubicon is up')
  const empty = devFile(home)
  expect(empty.redis_url).toBe(redisUrl)
  expect(await portsInUse(port)).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11].map(offset => port + offset))
  expect(await balanceOf(empty)).toMatchObject({ credits: 100, held: 0 })
  expect(await chatStatus(empty)).toBe(200)
  expect((await fetch(`${empty.base_url}/v1/models`, { headers: bearer(dev.api_key) })).status).toBe(401)
  anew.tell('SIGTERM')
  expect(await anew.exitCode).toBe(0)
}, 300_000)

test('--help tells what it does, and a wrong word, port, Redis or --reset is one line', async () => {
  const home = await aFolder()
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const system = startSystem(home, { words: args, env, command: withoutNpm })
    return [await system.exitCode, system.words().trim()]
  }
  const port = await freePorts()
  const dead = { REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: inject('postgresUrl') }
  const [help, ...wrong] = await Promise.all([
    run(['--help']),
    run(['--port', 'many']),
    run(['--port', '70000']),
    run(['--prot', '9000']),
  ])
  expect(help).toEqual([0, expect.stringMatching(/npm start.*--port N.*--reset.*--help/s)])
  expect(wrong).toEqual([
    [1, '--port takes a whole number from 1 to 65500'],
    [1, '--port takes a whole number from 1 to 65500'],
    [1, expect.stringMatching(/^[^\n]*--prot[^\n]*: see --help$/)],
  ])
  const [code, words] = await run(['--port', String(port)], dead)
  expect([code, words]).toEqual([1, expect.stringContaining('REDIS_URL: nothing answers at 127.0.0.1:1')])
  expect(await run(['--reset'], { DATABASE_URL: inject('postgresUrl') })).toEqual([
    1,
    '--reset empties our own database only: what DATABASE_URL names is yours to empty',
  ])
}, 60_000)

test('a busy port, a dead database and a wrong setting are one clear line and exit code 1', async () => {
  const port = await freePorts()
  const occupant = createServer().listen(port + 1, '127.0.0.1')
  const busy = startSystem(await aFolder(), { port, command: withoutNpm })
  expect(await busy.exitCode).toBe(1)
  expect(busy.words().trim()).toMatch(new RegExp(`^port ${port + 1}, meant for control, is in use: .*$`))
  await new Promise(resolve => occupant.close(resolve))

  const dead = startSystem(await aFolder(), {
    port,
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    command: withoutNpm,
  })
  expect(await dead.exitCode).toBe(1)
  expect(dead.words()).toContain('DATABASE_URL: nothing answers at 127.0.0.1:1')

  const wrong = startSystem(await aFolder(), { port, env: { LOG_LEVEL: 'loud' }, command: withoutNpm })
  expect(await wrong.exitCode).toBe(1)
  expect(wrong.words().trim()).toBe('LOG_LEVEL must be one of debug, info, warn, error, silent')
}, 120_000)

/** Does what docs/media.md says, command by command, beside the home of a running system; what the commands printed. */
async function followPage(home: string): Promise<string> {
  const page = readFileSync(join(checkout, 'docs/media.md'), 'utf8')
  const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  const folder = await aFolder()
  await symlink(home, join(folder, '.rubicon'))
  const script = ['set -euo pipefail', ...commands].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, timeout: 60_000 })
  return stdout
}

/** What `npm start` runs. A start that fails at once is tested without npm, which takes as long to start. */
const withoutNpm = [process.execPath, 'dev/start.ts']

/** Runs `npm start` as a developer does. */
function startSystem(
  home: string,
  options: { port?: number; words?: string[]; env?: Record<string, string>; command?: string[] },
) {
  const { port, words: given = [], env, command = ['npm', 'start', '--silent', '--'] } = options
  const [file = '', ...args] = command
  const { DATABASE_URL: _, REDIS_URL: __, ...rest } = process.env
  const placed = port === undefined ? given : ['--port', String(port), ...given]
  const child = spawn(file, [...args, ...placed], {
    cwd: checkout,
    env: { ...rest, NODE_ENV: 'development', RUBICON_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (words += part))
  const exitCode = new Promise<number | null>(resolve => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exitCode
  })
  return {
    exitCode,
    words: () => words,
    /** As `kill` does, which knows npm alone. */
    tell: (signal: NodeJS.Signals) => child.kill(signal),
    /** Signals the whole foreground group at once, as a terminal does. */
    pressCtrlC: () => process.kill(-child.pid!, 'SIGINT'),
    /** Resolves once it has said that; fails, with all that it said, when it ends before. */
    async says(line: string) {
      while (!words.includes(line)) {
        const ended = await Promise.race([exitCode, new Promise(resolve => setTimeout(resolve, 50, 'runs'))])
        if (ended !== 'runs' && !words.includes(line))
          throw new Error(`it ended without "${line}":\n${words}`)
      }
    },
  }
}

function devFile(home: string): DevFile {
  return JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8'))
}

async function chatStatus({ base_url, api_key }: DevFile): Promise<number> {
  const response = await fetch(`${base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(api_key), 'content-type': 'application/json' },
    body: firstRequest,
  })
  return response.status
}

/** An alert at the credits that are there: the next charge fires it. */
async function setAlert({ base_url, jwt }: DevFile, threshold: string): Promise<Response> {
  return fetch(`${base_url}/api/v1/billing/alerts`, {
    method: 'POST',
    headers: { ...bearer(jwt), 'content-type': 'application/json' },
    body: JSON.stringify({ threshold: Number(threshold) }),
  })
}

async function subjectsAt({ mailbox_url, email }: DevFile): Promise<string[]> {
  const { data } = await (await fetch(`${mailbox_url}/mails?to=${email}`)).json()
  return data.map(({ subject }: { subject: string }) => subject)
}

async function logInStatus({ base_url, email, password }: DevFile): Promise<number> {
  const response = await fetch(`${base_url}/api/v1/auth/log-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  return response.status
}

/** Pays on the page of the payment simulator. */
async function topUp(dev: DevFile, amount: number): Promise<void> {
  const response = await fetch(`${dev.base_url}/api/v1/billing/topup`, {
    method: 'POST',
    headers: { ...bearer(dev.provisioning_key), 'content-type': 'application/json' },
    body: JSON.stringify({ amount }),
  })
  const { checkout_url } = await response.json()
  expect(checkout_url).toContain(dev.payments_url)
  const paid = await fetch(`${checkout_url}/pay`, { method: 'POST' })
  expect([paid.status, paid.url]).toEqual([200, expect.stringContaining(dev.base_url)])
}

async function balanceOf({ base_url, jwt }: DevFile): Promise<{ credits: number; held: number }> {
  return (await fetch(`${base_url}/api/v1/billing/balance`, { headers: bearer(jwt) })).json()
}

async function ask({ graphql_url, jwt }: DevFile, query: string) {
  const response = await fetch(graphql_url, {
    method: 'POST',
    headers: { ...bearer(jwt), 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return (await response.json()).data.me
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** The process id that a process of the system wrote into its log. */
function pidOf(home: string, name: string): number {
  const [, pid] = /"pid":(\d+)/.exec(readFileSync(join(home, `logs/${name}.log`), 'utf8')) ?? []
  return Number(pid)
}

/** The first of six free ports in a row, below the range of outgoing connections. */
async function freePorts(): Promise<number> {
  for (;;) {
    const port = 20_000 + 12 * Math.floor(1000 * Math.random())
    if ((await portsInUse(port)).length === 0) return port
  }
}

async function portsInUse(first: number): Promise<number[]> {
  const ports = Array.from({ length: 12 }, (_, offset) => first + offset)
  const answers = await Promise.all(ports.map(isInUse))
  return ports.filter((_, index) => answers[index])
}

function isInUse(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-start-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must get there
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
