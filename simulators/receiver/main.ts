import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startReceiver } from './start-receiver.ts'

const help = `A receiver of callbacks: verifies each by the account's secret, prints it and keeps it.

  node simulators/receiver/main.ts [options]

  --port N          where to listen; 0 takes a free port (default 4020)
  --host ADDRESS    default 127.0.0.1
  --secret TEXT     what callbacks are signed with (whsec_…); may be repeated
  --secrets-in FILE a JSON file whose callback_secret is one more, read when a callback arrives
  --help            this text
`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4020' },
    host: { type: 'string', default: '127.0.0.1' },
    secret: { type: 'string', multiple: true, default: [] },
    'secrets-in': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(help)
} else {
  const receiver = await startReceiver({
    port: readPort(values.port),
    host: values.host,
    secrets: () => [...values.secret, ...secretsIn(values['secrets-in'])],
    onCallback({ id, path, isVerified, fault, body }) {
      const signature = isVerified ? 'verified' : `refused (${fault})`
      process.stdout.write(`${signature} ${id} ${path} ${JSON.stringify(body)}\n`)
    },
  })
  process.stdout.write(`receiver listening on ${receiver.url}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await receiver.close()
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  process.stderr.write(`--port takes a whole number, not "${text}"\n`)
  process.exit(2)
}

/** None while the file is not there yet. */
function secretsIn(file: string | undefined): string[] {
  if (file === undefined) return []
  try {
    const { callback_secret: secret } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof secret === 'string' ? [secret] : []
  } catch {
    return []
  }
}
