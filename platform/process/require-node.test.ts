import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '../..')

/** A process whose Node says that it is another one. */
function runOn(version: string, entry: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, entry, '--help'], {
    cwd: checkout,
    encoding: 'utf8',
  })
  return { status, stderr }
}

test.each([
  'inference-edge/main.ts',
  'gateway/main.ts',
  'subgraphs/main.ts',
  'worker/main.ts',
  'operator/migrate.ts',
])('%s ends with one line on a Node that is too old', entry => {
  expect(runOn('20.20.2', entry)).toEqual({
    status: 1,
    stderr:
      'Node 24.21 or newer is required; this is Node 20.20.2. The npm scripts run on their own Node 24.\n',
  })
})

test('the oldest that is good enough is taken', () => {
  expect(runOn('24.20.0', 'worker/main.ts').status).toBe(1)
  expect(runOn('24.21.0', 'worker/main.ts')).toEqual({ status: 0, stderr: '' })
})

test('no library of ours needs a newer Node than we say', () => {
  const { packages }: { packages: Record<string, { dev?: boolean; engines?: { node?: string } }> } =
    JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'))
  const inUse = Object.entries(packages).filter(([, { dev }]) => !dev)
  const tooNew = inUse.filter(([, { engines }]) => {
    const oldest = /^>=\s*(\d+)(?:\.(\d+))?/.exec(engines?.node ?? '')
    return oldest && Number(oldest[1]) * 1000 + Number(oldest[2] ?? 0) > 24_021
  })
  expect(tooNew.map(([name]) => name)).toEqual([])
})
