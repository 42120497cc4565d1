import { request } from 'node:http'

// The health check of containers: `node dist/operator/check-health.js`. A container runs one process, so the check asks
// each port that a process of Rubicon may have. Exits with 0 if one of them reports that its process is alive.

/** Maximum time until a process answers, in milliseconds. */
const timeoutMs = 2_000

const { EDGE_PORT, HEALTH_PORT, CONTROL_PORT, WORKER_PORT, SUBGRAPH_PORT } = process.env
const ports = [
  HEALTH_PORT,
  EDGE_PORT || 8080,
  CONTROL_PORT || 8081,
  WORKER_PORT || 8082,
  SUBGRAPH_PORT || 8090,
]

const answers = await Promise.all(
  ports.filter(port => port && port !== '0').map(port => isAlive(Number(port))),
)
process.exit(answers.includes(true) ? 0 : 1)

function isAlive(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const check = request({ host: '127.0.0.1', port, path: '/healthz', timeout: timeoutMs }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    check.on('timeout', () => check.destroy()).on('error', () => resolve(false))
    check.end()
  })
}
