import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startSimulator } from './start-simulator.ts'

const help = `The upstream simulator: stands in for the vendors and speaks their wire formats.

  node simulators/vendors/main.ts [options]

  --port N             where to listen; 0 takes a free port (default 4010)
  --host ADDRESS       default 127.0.0.1
  --latency-ms N       before the first byte of every answer of a model (default 0)
  --chunk-delay-ms N   between the chunks of every stream (default 0)
  --generation-ms N    how long an image, a video or a sound takes to make (default 0)
  --no-record          keep no calls for observation: for benchmarks
  --help               this text
`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    port: { type: 'string', default: '4010' },
    host: { type: 'string', default: '127.0.0.1' },
    'latency-ms': { type: 'string', default: '0' },
    'chunk-delay-ms': { type: 'string', default: '0' },
    'generation-ms': { type: 'string', default: '0' },
    record: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(help)
} else {
  const simulator = await startSimulator({
    port: readCount('port', values.port),
    host: values.host,
    settings: {
      latencyMs: readCount('latency-ms', values['latency-ms']),
      chunkDelayMs: readCount('chunk-delay-ms', values['chunk-delay-ms']),
      generationMs: readCount('generation-ms', values['generation-ms']),
      record: values.record,
    },
  })
  process.stdout.write(`simulator listening on ${simulator.url}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await simulator.close()
}

function readCount(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`)
  process.exit(2)
}
