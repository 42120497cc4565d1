import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '..')

/** An npm script, as somebody types it. */
function run(script: string, ...words: string[]): Promise<{ code: unknown; out: string; fault: string }> {
  const args = ['run', '--silent', script, '--', ...words]
  const { PATH, HOME } = process.env // what vitest sets besides, such as BASE_URL, is no setting of ours
  return new Promise(resolve => {
    execFile('npm', args, { cwd: checkout, env: { PATH, HOME } }, (error, out, fault) =>
      resolve({ code: error?.code ?? 0, out, fault: fault.replaceAll(/^npm .*\n/gm, '') }),
    )
  })
}

test.each(['migrate', 'catalog:apply', 'secrets:rotate', 'env:example', 'graph'])(
  'npm run %s -- --help tells what it does, and does nothing',
  async script => {
    const { code, out } = await run(script, '--help')
    expect([code, out]).toEqual([0, expect.stringContaining(`npm run ${script}`)])
  },
  30_000,
)

test('a catalogue that is not there is one line', async () => {
  expect(await run('catalog:apply', '/nowhere')).toEqual({
    code: 1,
    out: '',
    fault: 'catalog:apply: there is nothing at /nowhere\n',
  })
}, 30_000)
