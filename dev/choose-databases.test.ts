import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readConfig } from '../platform/config/read-config.ts'
import { openRedis } from '../platform/redis/open-redis.ts'
import { choosePostgres, chooseRedis } from './choose-databases.ts'
import { openHome } from './home.ts'
import { openKeeper } from './keep-alive.ts'
import { freePort } from './services/ports.ts'
import { findRedisServer } from './services/redis.ts'

/** Chooses a Redis server on a machine with these settings. */
async function choose(env: NodeJS.ProcessEnv, usualPort: number) {
  const home = openHome({ RUBICON_HOME: join(inject('folder'), 'choose-test') })
  return chooseRedis(
    openKeeper(() => {}),
    { env, home, port: 1, rank: 1, usualPort },
  )
}

test('the server of DATABASE_URL is used, and none is started; one that does not respond is an error', async () => {
  const chooseAt = (databaseUrl: string) => {
    const home = openHome({ RUBICON_HOME: join(inject('folder'), 'choose-test') })
    const keeper = openKeeper(() => {})
    return choosePostgres(keeper, { env: { DATABASE_URL: databaseUrl }, home, port: 1, rank: 1 })
  }
  const url = inject('postgresUrl')
  expect(await chooseAt(url)).toEqual({ url, origin: 'DATABASE_URL' })
  await expect(chooseAt('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow('nothing answers')
})

test('REDIS_URL precedes a server that is found; without both and without a server binary, there is no Redis', async () => {
  const named = inject('redisUrl')
  const usualPort = Number(new URL(named).port)
  expect(await choose({ PATH: '', REDIS_URL: named }, usualPort)).toEqual({ url: named, origin: 'REDIS_URL' })
  expect(await choose({ PATH: '' }, usualPort)).toEqual({ url: named, origin: 'found here' })
  expect(await choose({ PATH: '/nowhere' }, await freePort())).toEqual({
    url: 'none',
    origin: expect.stringMatching(/limits are counted in each process.*redis-server or valkey-server/),
  })
  expect(await choose({ PATH: '', REDIS_URL: 'none' }, usualPort)).toMatchObject({ url: 'none' })
})

test('the PATH is searched for executables, redis-server before valkey-server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-path-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [redis, valkey] = [join(folder, 'redis-server'), join(folder, 'valkey-server')]
  const path = `/nowhere:${folder}`
  expect(findRedisServer(path)).toBeUndefined()
  await Promise.all([redis, valkey].map(file => writeFile(file, '')))
  await chmod(valkey, 0o755)
  expect(findRedisServer(path)).toBe(valkey)
  await chmod(redis, 0o755)
  expect(findRedisServer(path)).toBe(redis)
})

test('without Redis every command is refused at once', async () => {
  const client = openRedis({ url: 'none', cluster: false, name: 'test' })
  onTestFinished(() => client.disconnect())
  for (let turn = 0; turn < 100; turn++)
    await expect(client.get('key')).rejects.toThrow('Connection is closed')
  expect(client.status).toBe('end')
})

test('production refuses REDIS_URL=none', () => {
  expect(readConfig({ REDIS_URL: 'none' }).redisUrl).toBe('none')
  expect(() => readConfig({ NODE_ENV: 'production', REDIS_URL: 'none' })).toThrow(
    'REDIS_URL must not be none in production',
  )
})
