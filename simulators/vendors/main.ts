import { runCommand } from '../server/run-command.ts'
import { startSimulator } from './start-simulator.ts'

const help = `The upstream simulator: stands in for model vendors and speaks their wire formats.

  node simulators/vendors/main.ts [options]

  --port N             port; 0 picks a free one (default 4010)
  --host ADDRESS       address to listen on (default 127.0.0.1)
  --generation-ms N    duration of an image, video or sound generation (default 0)
  --help               print this text
`

await runCommand({
  help,
  options: { port: '4010', 'generation-ms': '0' },
  async start({ port, host, count }) {
    const settings = { generationMs: count('generation-ms'), record: false }
    const { url, close } = await startSimulator({ port, host, settings })
    return { message: `simulator listening on ${url}`, close }
  },
})
