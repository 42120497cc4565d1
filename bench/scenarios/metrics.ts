import { openRequestMetrics } from '../../inference-edge/metrics/request-metrics.ts'
import { openMetrics } from '../../platform/metrics/open-metrics.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { openUpstreamMetrics } from '../../upstreams/upstream-metrics.ts'
import { medianOf } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import type { Scenario } from './scenario.ts'

/** Number of requests that are recorded in one measurement. */
const recorded = 200_000

/** Number of models whose requests are recorded: more than a process reports separately. */
const models = 500

/**
 * The share of the edge's CPU that goes to recording metrics. A running edge always records them, so the functions that
 * record a request are measured in this process, and compared with the CPU of a response.
 */
export const metrics: Scenario = {
  name: 'metrics',
  description: 'recording the metrics of a request, 50 connections',
  needsWarmUp: true,
  async run(system, { rounds, lengths }) {
    const measured: Round[] = []
    const costs: number[] = []
    for (let turn = 0; turn < rounds; turn++) {
      measured.push(await runRound(system, { load: { shape: { connections: 50 }, keys: 1 }, lengths }))
      costs.push(recordRequests())
    }
    const response = medianOf(measured, ({ cpuMs }) => cpuMs.edge!)
    const recording = medianOf(costs, cost => cost)
    const scrape = await takeSnapshot()
    const figures = { response, recording, share: recording / response, scrape }
    return {
      rows: [row("edge's CPU ms", figures, { share: { max: 0.02 } })],
      faults: measured.flatMap(({ faults }) => faults),
      data: { measured, costs },
    }
  },
}

/** Returns the CPU of recording one request, in milliseconds: its end, its call, its rate check and its batch. */
function recordRequests(): number {
  const { record } = openRecorders()
  record(recorded / 10) // until it is compiled
  const startedAt = process.cpuUsage()
  record(recorded)
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1_000 / recorded
}

/** Resolves to the CPU of copying all values for a scrape, in milliseconds. */
async function takeSnapshot(): Promise<number> {
  const { observed, record } = openRecorders()
  record(models * 18)
  await observed.snapshot()
  const startedAt = process.cpuUsage()
  await observed.snapshot()
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / 1_000
}

function openRecorders() {
  const observed = openMetrics('edge')
  const requests = openRequestMetrics(observed)
  const upstreams = openUpstreamMetrics(observed)
  const buckets = { first: 0.001, factor: 2, count: 12 } as const
  const perBatch = ['script', 'rows', 'batch'].map(name =>
    observed.histogram({ name, help: '', buckets }).of(),
  )
  const records = Array.from({ length: models }, (_, model) => ({
    ...aRequestRecord({ accountId: '', keyId: '' }, 1_000_000n),
    model: `vendor_a/model-${model}`,
    streamed: true,
    firstByteMs: 40,
    answeredMs: 900,
    settledMs: 902,
    vendorMs: 39,
    usage: {
      promptTokens: 900,
      completionTokens: 120,
      cachedTokens: 400,
      cacheCreationTokens: 0,
      reasoningTokens: 30,
    },
  }))
  return {
    observed,
    record(count: number) {
      for (let turn = 0; turn < count; turn++) {
        const record = records[turn % 20 === 0 ? turn % models : turn % 20]!
        requests.observe({
          record,
          route: 'chat.completions',
          status: 200,
          problem: undefined,
          durationMs: 903,
        })
        upstreams.count(
          { vendor: 'vendor_a', baseUrl: '', apiKey: '' },
          { durationMs: 39, failure: undefined },
        )
        for (const distribution of perBatch) distribution.observe(0.004)
      }
    },
  }
}
