import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSharedPort, type SharedPort } from './share-port.ts'

const host = '127.0.0.1'

/** A process that listens at the port, answers with its name, and is controlled by messages. */
const program = `
import { createServer } from 'node:http'
import { listenAtSharedPort } from ${JSON.stringify(new URL('./share-port.ts', import.meta.url))}
const [name, count] = process.argv.slice(1)
const server = createServer((_, response) => response.end(name))
const descriptors = Array.from({ length: Number(count) }, (_, index) => 4 + index)
const listening = await listenAtSharedPort(server, { descriptors })
process.on('message', async command => {
  if (command === 'drain') await listening.drain(10_000)
  else if (command !== 'count') listening[command]()
  process.send(listening.connections)
  if (command === 'drain') process.exit()
})
process.send(listening.url)`

async function startProcess(name: string, port: SharedPort) {
  const { descriptors } = port
  const child: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, name, String(descriptors.length)],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...descriptors] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url]: string[] = await once(child, 'message')
  return {
    url,
    child,
    /** Resolves to the number of its connections after the command. */
    async tell(command: 'accept' | 'pause' | 'drain' | 'count'): Promise<number> {
      child.send(command)
      const [connections]: number[] = await once(child, 'message')
      return connections ?? Number.NaN
    },
  }
}

async function aSharedPort() {
  const port = await openSharedPort({ host, port: 0 })
  let isOpen = true
  const close = () => {
    if (isOpen) port.close()
    isOpen = false
  }
  onTestFinished(close)
  return { ...port, close }
}

test('a connection that one process does not accept waits, and another process accepts it', async () => {
  const port = await aSharedPort()
  const [one, two] = [await startProcess('one', port), await startProcess('two', port)]
  const url = `http://${host}:${port.port}`
  expect([one.url, two.url]).toEqual([url, url])
  await one.tell('accept')
  const ask = async () => (await fetch(url, { headers: { connection: 'close' } })).text()
  expect(await ask()).toBe('one')
  await one.tell('pause')
  let hasAnswer = false
  const waiting = ask().finally(() => {
    hasAnswer = true
  })
  await sleep(200)
  expect(hasAnswer).toBe(false)
  await two.tell('accept')
  expect(await waiting).toBe('two')
  await two.tell('pause')
  await one.tell('accept')
  expect(await ask()).toBe('one')
})

test('connections wait while no process accepts, also after one that did was killed', async () => {
  const port = await aSharedPort()
  const one = await startProcess('one', port)
  await one.tell('accept')
  one.child.kill('SIGKILL')
  await once(one.child, 'exit')
  const waiting = fetch(`http://${host}:${port.port}`)
  const two = await startProcess('two', port)
  await two.tell('accept')
  expect(await (await waiting).text()).toBe('two')
})

test('a process that drains ends idle connections, and the port closes when no process has it open', async () => {
  const port = await aSharedPort()
  const one = await startProcess('one', port)
  await one.tell('accept')
  const url = `http://${host}:${port.port}`
  expect(await (await fetch(url)).text()).toBe('one')
  expect(await one.tell('count')).toBe(1)
  expect(await one.tell('drain')).toBe(0)
  const waiting = fetch(url).catch(() => 'closed') // this process still has the port open
  await expect.poll(() => canConnect(port.port)).toBe(true)
  port.close()
  expect(await waiting).toBe('closed')
  expect(await canConnect(port.port)).toBe(false)
  const other = await openSharedPort({ host, port: port.port })
  other.close()
})

test('a port in use is refused', async () => {
  const port = await aSharedPort()
  const one = await startProcess('one', port)
  await one.tell('accept')
  await expect(openSharedPort({ host, port: port.port })).rejects.toThrow('EADDRINUSE')
})

function canConnect(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, host, () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
}
