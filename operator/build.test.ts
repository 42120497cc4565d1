import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSystem } from '../test/harness/a-context.ts'
import { forThisTest } from '../test/harness/per-file.ts'

const checkout = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The build, in a folder where it finds the packages but not our sources. */
let dist: string
/** The folder of an operator. */
let home: string

beforeAll(async () => {
  dist = await mkdtemp(join(checkout, 'node_modules/.dist-'))
  home = await mkdtemp(join(tmpdir(), 'operator-'))
  await run('npx', ['tsc', '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: checkout })
  await writeFile(join(dist, 'package.json'), '{ "type": "module" }')
  await cp(join(checkout, 'schema'), join(dist, 'schema'), {
    recursive: true,
    filter: path => !path.endsWith('.ts'),
  })
}, 120_000)
afterAll(() => Promise.all([dist, home].map(folder => rm(folder, { recursive: true }))))

test("compiled catalog:apply takes the catalogue of the working folder, else the build's copy", async () => {
  const system = forThisTest(await aSystem())
  const apply = async () => {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, DATABASE_URL: system.config.databaseUrl }
    const { stdout } = await run(process.execPath, [join(dist, 'operator/apply-catalogue.js')], {
      cwd: home,
      env,
    })
    const [row] = await system.context.sql`select data ->> 'name' as name from models where id = 'chat.atlas'`
    return { stdout, name: row?.name }
  }
  expect((await apply()).stdout).toContain(`in ${join(dist, 'schema/catalog')} are applied`)

  const own = join(home, 'schema/catalog')
  await cp(join(checkout, 'schema/catalog'), own, { recursive: true })
  const file = join(own, 'models/chat-vendor-a.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('name: Atlas\n', 'name: Our Atlas\n'))
  const applied = await apply()
  expect(applied.name).toBe('Our Atlas')
  expect(applied.stdout).toContain('changed chat.atlas\n')
  expect(applied.stdout).toContain(`in ${own} are applied`)
}, 60_000)
