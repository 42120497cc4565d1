import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { freePort, requireFreePort } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { ensureRedisServer, startRedis } from './redis.ts'

test('a PostgreSQL that was left running is stopped, and its data remain', async () => {
  const folder = await aFolder()
  const port = await freePort()
  const left = await startPostgres({ folder, port })
  const sql = openPostgres({ url: left.urlOf('postgres'), name: 'test', maxConnections: 1 })
  await sql`create table kept as select 42 as answer`
  await sql.end()

  const again = await startPostgres({ folder, port })
  onTestFinished(() => again.stop())

  expect(await left.ended).toBe('exit code 0')
  const other = openPostgres({ url: again.urlOf('postgres'), name: 'test', maxConnections: 1 })
  expect(await other`select answer from kept`).toMatchObject([{ answer: 42 }])
  await other.end()
})

test('our own Redis that was left running is stopped; any other Redis is not touched', async () => {
  const [binary, port, folder] = [await ensureRedisServer(), await freePort(), await aFolder()]
  const left = await startRedis({ binary, port, folder })
  const again = await startRedis({ binary, port, folder })
  onTestFinished(() => again.stop())
  expect(await left.ended).toBe('exit code 0')

  await expect(startRedis({ binary, port, folder: await aFolder() })).rejects.toThrow(`port ${port}`)
  expect(again.pid).toSatisfy((pid: number) => process.kill(pid, 0))
})

test('a busy port is reported in one line with its number and purpose', async () => {
  const server = createServer()
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  await expect(requireFreePort(port, 'edge')).rejects.toThrow(
    `port ${port}, meant for edge, is in use: stop the process that listens there, or use --port N`,
  )
})

test('a started service ends with its starter, even if the starter is killed', async () => {
  const folder = await aFolder()
  const script = `
    import { spawnService } from './dev/services/spawn-service.ts'
    const args = ['-c', "trap 'echo ended > result; exit' TERM; echo ready; sleep 60 & wait"]
    await spawnService({ command: 'sh', args, folder: '${folder}', logFile: '${folder}/log' })
    console.log('started')
    setInterval(() => {}, 1000)`
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', script])
  await once(starter.stdout, 'data')
  await expect.poll(() => textOf(join(folder, 'log')), { timeout: 10_000 }).toBe('ready\n')
  starter.kill('SIGKILL')
  await expect.poll(() => textOf(join(folder, 'result')), { timeout: 10_000 }).toBe('ended\n')
})

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-left-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
