import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { openChildMetrics } from './child-metrics.ts'
import { renderMetrics } from './render-metrics.ts'

/** A process that has counted one request, and answers scrapes. */
const program = `
import { answerScrapes } from ${JSON.stringify(new URL('./child-metrics.ts', import.meta.url))}
import { openMetrics } from ${JSON.stringify(new URL('./open-metrics.ts', import.meta.url))}
const metrics = openMetrics('edge')
metrics.counter({ name: 'requests_total', help: 'Requests.' }).of().value += 1
answerScrapes(metrics)
process.send('ready')`

async function startChild() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

test('the counters of an ended process remain, also in two scrapes at the same time', async () => {
  const children = [await startChild(), await startChild()]
  const metrics = openChildMetrics()
  for (const child of children) metrics.add(child)
  const scrape = async () => renderMetrics(await metrics.collect())
  expect(await scrape()).toContain('requests_total{process="edge"} 2')
  for (const child of children) {
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const text of await Promise.all([scrape(), scrape()]))
      expect(text).toContain('requests_total{process="edge"} 2')
  }
}, 30_000)
