import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const checkout = join(import.meta.dirname, '../..')

/** An entry file that serves on WORKER_PORT, and takes CLOSING_MS to close. */
const entry = `
import { createServer } from 'node:http'
import { once } from 'node:events'
import { runMain } from './platform/process/run-main.ts'

await runMain({
  name: 'probe',
  help: 'What it is for.',
  options: { check: { type: 'boolean' } },
  async start(config, given) {
    if (given.options.check) return void process.stdout.write('checked')
    const server = createServer().listen(config.workerPort, '127.0.0.1')
    await once(server, 'listening')
    const close = () => new Promise(resolve => setTimeout(resolve, Number(process.env.CLOSING_MS)))
    process.on('SIGUSR2', () => void Promise.reject(new Error('heard by nobody')))
    process.on('SIGUSR2', () => {
      if (process.env.THROWS) throw new Error('caught by nobody')
    })
    return { url: 'here', close }
  },
})`

test('--help tells what it is for; an option of its own reaches it; work that ends, ends the process', async () => {
  expect(await run(['--help']).ended).toEqual({ code: 0, words: 'What it is for.\n' })
  expect(await run(['--check']).ended).toEqual({ code: 0, words: 'checked' })
})

test('a word or an option that it does not know is one line and exit code 1', async () => {
  expect(await run(['wrod']).ended).toEqual({ code: 1, words: 'probe: unknown word wrod: see --help\n' })
  expect(await run(['--chekc']).ended).toEqual({
    code: 1,
    words: "probe: Unknown option '--chekc': see --help\n",
  })
})

test('every wrong setting is a line that names its variable', async () => {
  const { code, words } = await run([], { EDGE_PORT: 'http', LOG_LEVEL: 'loud' }).ended
  expect(code).toBe(1)
  expect(words.trim().split('\n')).toEqual([
    'probe: EDGE_PORT must be a whole number from 0 to 65535',
    'probe: LOG_LEVEL must be one of debug, info, warn, error, silent',
  ])
})

test('a busy port is one line that names it', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void occupant.close())
  await new Promise(resolve => occupant.once('listening', resolve))
  const address = occupant.address()
  const port = address && typeof address === 'object' ? address.port : 0
  const { code, words } = await run([], { WORKER_PORT: String(port) }).ended
  expect(code).toBe(1)
  expect(words).toBe(
    `probe: port ${port} is in use: stop the process that listens there, or choose another\n`,
  )
})

test('SIGTERM closes, waits for that, and exits with 0', async () => {
  const process = run([], { CLOSING_MS: '300' })
  await process.says('"msg":"ready"')
  const toldAt = Date.now()
  process.tell('SIGTERM')
  expect(await process.ended).toMatchObject({ code: 0 })
  expect(Date.now() - toldAt).toBeGreaterThanOrEqual(300)
})

test('closing that takes too long is cut short, with exit code 1', async () => {
  const process = run([], { CLOSING_MS: '60000', SHUTDOWN_GRACE_MS: '0' })
  await process.says('"msg":"ready"')
  process.tell('SIGINT')
  const { code, words } = await process.ended
  expect(code).toBe(1)
  expect(words).toContain('closing took too long')
})

test('an exception that nobody caught is one last line; it closes, waits for that, and exits with 1', async () => {
  const process = run([], { CLOSING_MS: '300', THROWS: 'yes' })
  await process.says('"msg":"ready"')
  const thrownAt = Date.now()
  process.tell('SIGUSR2')
  await process.says('caught by nobody')
  process.tell('SIGUSR2') // the second one neither cuts the closing short nor begins another
  const { code, words } = await process.ended
  expect(code).toBe(1)
  expect(Date.now() - thrownAt).toBeGreaterThanOrEqual(300)
  const line = JSON.parse(words.split('\n').find(text => text.includes('caught by nobody')) ?? '')
  expect(line).toMatchObject({
    level: 60,
    process: 'probe',
    error: expect.stringContaining('caught by nobody'),
  })
})

test('a rejection that nobody handled is a line, and the process goes on', async () => {
  const process = run([], { CLOSING_MS: '0' })
  await process.says('"msg":"ready"')
  process.tell('SIGUSR2')
  await process.says('heard by nobody')
  process.tell('SIGTERM')
  expect(await process.ended).toMatchObject({ code: 0 })
})

function run(words: string[], env: Record<string, string> = {}) {
  const evaluated = ['--input-type=module', '--eval', entry, '--', 'probe', ...words]
  const child = spawn(process.execPath, evaluated, {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      WORKER_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (said += part))
  const ended = new Promise<{ code: number | null; words: string }>(resolve =>
    child.once('close', code => resolve({ code, words: said })),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    ended,
    tell: (signal: NodeJS.Signals) => child.kill(signal),
    says: (text: string) => expect.poll(() => said, { timeout: 10_000 }).toContain(text),
  }
}
