import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { extractTag } from './last-tag.ts'

const checkout = new URL('../..', import.meta.url).pathname

/** A version of the product in a separate folder. */
export interface Release {
  folder: string
  /** Runs an operator command to its end. Resolves to its output; throws if it fails. */
  run(command: string, args?: string[]): Promise<string>
  /** Starts a process on a free port and waits until it is ready. */
  start(kind: keyof typeof entries, env?: Record<string, string>): Promise<RunningProcess>
}

export interface RunningProcess {
  url: string
  /** Sends SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>
}

const entries = {
  edge: { args: ['inference-edge/main.ts'], port: 'EDGE_PORT' },
  control: { args: ['--import', import.meta.resolve('tsx'), 'gateway/main.ts'], port: 'CONTROL_PORT' },
  worker: { args: ['worker/main.ts'], port: 'WORKER_PORT' },
}

/** The sources of a tag, with the packages of this checkout. */
export function aTaggedRelease(tag: string, env: Record<string, string>): Release {
  const folder = aFolder()
  extractTag(tag, folder)
  return releaseIn(folder, env)
}

/** This checkout. */
export function thisRelease(env: Record<string, string>): Release {
  return releaseIn(checkout, env)
}

/**
 * A release after this checkout, which changes tables that every request uses: columns, a check, a new table, an index
 * that is created concurrently. It replaces every function.
 */
export function aLaterRelease(env: Record<string, string>): Release {
  const folder = aFolder()
  for (const name of readdirSync(checkout))
    if (!/^(\.|node_modules$|dist$|docs$|test$)/.test(name))
      cpSync(join(checkout, name), join(folder, name), { recursive: true })
  const migrations = join(folder, 'schema/migrations')
  const newest = readdirSync(migrations).toSorted().at(-1)
  writeFileSync(
    join(migrations, '9990-columns.sql'),
    `-- compatible since ${newest}
    alter table balances add column region text;
    alter table holds add column region text not null default 'eu';
    alter table api_keys add column region text;
    alter table transactions add constraint transactions_of_accounts check (account_id is not null) not valid;
    create table regions (id text primary key);`,
  )
  writeFileSync(
    join(migrations, '9991-index.sql'),
    `-- compatible since ${newest}
    -- transaction: none
    drop index concurrently if exists api_keys_region;
    create index concurrently api_keys_region on api_keys (region);
    alter table transactions validate constraint transactions_of_accounts;`,
  )
  const statements = join(folder, 'schema/statements')
  for (const name of readdirSync(statements))
    appendFileSync(join(statements, name), '\n-- of a later release\n')
  return releaseIn(folder, env)
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function releaseIn(folder: string, settings: Record<string, string>): Release {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const spawnNode = (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, NODE_COMPILE_CACHE, ...settings, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-10_000)))
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, ended: once(child, 'exit'), output: () => output }
  }
  return {
    folder,
    async run(command, args = []) {
      const { child, ended, output } = spawnNode([`operator/${command}.ts`, ...args])
      await ended
      if (child.exitCode !== 0) throw new Error(`${command} ended with ${child.exitCode}: ${output()}`)
      return output()
    },
    async start(kind, env = {}) {
      const { args, port: variable } = entries[kind]
      const port = await freePort()
      const { child, ended, output } = spawnNode(args, { ...env, [variable]: String(port) })
      const url = `http://127.0.0.1:${port}`
      while (
        !(await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ))
      ) {
        if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}: ${output()}`)
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      return {
        url,
        async stop() {
          child.kill('SIGTERM')
          await ended
          return child.exitCode
        },
      }
    },
  }
}
