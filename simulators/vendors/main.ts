import { runCommand } from '../server/run-command.ts'
import { startSimulator } from './start-simulator.ts'

const help = `The upstream simulator: stands in for model vendors and speaks their wire formats.

  node simulators/vendors/main.ts [options]

  --port N             port; 0 picks a free one (default 4010)
  --host ADDRESS       address to listen on (default 127.0.0.1)
  --latency-ms N       delay before the first byte of each answer (default 0)
  --chunk-delay-ms N   delay between two chunks of a stream (default 0)
  --generation-ms N    duration of an image, video or sound generation (default 0)
  --no-record          do not record calls; for benchmarks
  --help               print this text
`

await runCommand({
  help,
  defaultPort: 4010,
  options: {
    'latency-ms': { type: 'string', default: '0' },
    'chunk-delay-ms': { type: 'string', default: '0' },
    'generation-ms': { type: 'string', default: '0' },
    record: { type: 'boolean', default: true },
  },
  async start({ values, port, host, count }) {
    const settings = {
      latencyMs: count('latency-ms'),
      chunkDelayMs: count('chunk-delay-ms'),
      generationMs: count('generation-ms'),
      record: values.record === true,
    }
    const { url, close } = await startSimulator({ port, host, settings })
    return { message: `simulator listening on ${url}`, close }
  },
})
