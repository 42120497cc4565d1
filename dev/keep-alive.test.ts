import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepAlive, openKeeper } from './keep-alive.ts'
import { spawnService } from './services/spawn-service.ts'

test('a killed process is restarted, with a line for its end and one for its restart', async () => {
  const printed: string[] = []
  const pids: number[] = []
  const service = await keepAlive('sleeper', {
    print: line => printed.push(line),
    async start() {
      const started = await aCommand('sleep', '60')
      pids.push(started.pid)
      return started
    },
  })
  onTestFinished(() => service.stop())

  process.kill(pids[0]!, 'SIGKILL')

  await expect
    .poll(() => printed)
    .toEqual(['sleeper ended (SIGKILL): restarting', 'sleeper is running again'])
  expect(isAlive(pids[1]!)).toBe(true)
})

test('a log keeps what a process printed before it died', async () => {
  const logFile = join(await aFolder(), 'log')
  const say = (word: string) => spawnService({ command: 'echo', args: [word], logFile })
  for (const word of ['first', 'second']) {
    const service = await say(word)
    await service.ended
    expect(service.printed()).toBe(`${word}\n`)
  }
  expect(await readFile(logFile, 'utf8')).toBe('first\nsecond\n')
})

test('a stopped process is not restarted', async () => {
  const printed: string[] = []
  const service = await keepAlive('sleeper', {
    print: line => printed.push(line),
    start: () => aCommand('sleep', '60'),
  })
  await service.stop()
  await new Promise(resolve => setTimeout(resolve, 400)) // longer than the first wait
  expect(printed).toEqual([])
  expect(isAlive(service.first.pid)).toBe(false)
})

test('a failed start is retried, with its message', async () => {
  const printed: string[] = []
  let starts = 0
  const service = await keepAlive('waverer', {
    print: line => printed.push(line),
    async start() {
      starts += 1
      if (starts === 2) throw new Error('port 1 is in use')
      return aCommand('sleep', starts === 1 ? '0.1' : '60')
    },
  })
  onTestFinished(() => service.stop())
  await expect
    .poll(() => printed.slice(1), { timeout: 5000 })
    .toEqual(['waverer does not restart: port 1 is in use', 'waverer is running again'])
})

test('processes end rank by rank; a process that ignores SIGTERM is killed with its children', async () => {
  const folder = await aFolder()
  const order = join(folder, 'order')
  await writeFile(order, '')
  const keeper = openKeeper(() => {})
  const polite = (name: string) =>
    aCommand('sh', '-c', `trap 'echo ${name} >> ${order}; exit' TERM; sleep 60 & wait`)
  const deaf = () => aCommand('sh', '-c', `trap '' TERM; (sleep 0.8; echo child >> ${order}) & sleep 60`)
  await keeper.keep('database', 2, () => polite('database'))
  await keeper.keep('edge', 1, () => polite('edge'))
  const ignorant = await keeper.keep('ignorant', 1, deaf)
  await new Promise(resolve => setTimeout(resolve, 200)) // until the traps are set

  await keeper.stopAll(300)

  expect(await ignorant.ended).toBe('SIGKILL')
  await new Promise(resolve => setTimeout(resolve, 600)) // until its child would have written
  expect(await readFile(order, 'utf8')).toBe('edge\ndatabase\n')
})

test('a process that is still starting is stopped too', async () => {
  const keeper = openKeeper(() => {})
  let pid = 0
  const starting = keeper.keep('late', 1, async () => {
    await new Promise(resolve => keeper.halt.addEventListener('abort', resolve))
    const started = await aCommand('sleep', '60')
    pid = started.pid
    return started
  })
  await Promise.all([keeper.stopAll(1000), starting])
  expect(isAlive(pid)).toBe(false)
})

async function aCommand(command: string, ...args: string[]) {
  return spawnService({ command, args, logFile: join(await aFolder(), 'log') })
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-keep-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
