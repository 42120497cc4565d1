import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundsOf, Distribution } from './distribution.ts'
import { maxSeries } from './family.ts'
import { openMetrics } from './open-metrics.ts'
import { foldEnded, renderMetrics } from './render-metrics.ts'

const seconds = { first: 0.001, factor: 2, count: 4 } as const

test.each([
  ['of factor 2', seconds],
  ['of factor 4', { first: 64, factor: 4, count: 7 }],
  ['that begin at 1', { first: 1, factor: 2, count: 10 }],
] as const)('a value counts in the first bucket %s whose bound is not below it', (_, buckets) => {
  const bounds = boundsOf(buckets)
  const values = fc.oneof(fc.double({ min: 0, max: 1e12, noNaN: true }), fc.constantFrom(...bounds))
  fc.assert(
    fc.property(values, value => {
      const { first, factor, count } = buckets
      const distribution = new Distribution({ first, factor, count })
      distribution.observe(value)
      const at = bounds.findIndex(bound => value <= bound * (1 + 1e-12))
      expect(distribution.values.indexOf(1)).toBe(at < 0 ? count : at)
      expect(distribution.values[count + 1]).toBe(value)
    }),
    { examples: [[Number.MAX_VALUE], [2 ** 32], [2 ** 31]] },
  )
})

test('a value below zero, or none, counts as zero', () => {
  const distribution = new Distribution(seconds)
  for (const value of [-1, Number.NaN]) distribution.observe(value)
  expect([...distribution.values]).toEqual([2, 0, 0, 0, 0, 0])
})

test('a scrape has the values of counters, histograms and gauges, with the kind of process', async () => {
  const metrics = openMetrics('edge')
  const requests = metrics.counter({ name: 'requests_total', help: 'Requests.', labels: ['route'] })
  requests.of('chat "1"\n').value += 3
  const duration = metrics.histogram({ name: 'duration_seconds', help: 'Duration.', buckets: seconds })
  for (const value of [0.001, 0.003, 9]) duration.of().observe(value)
  metrics.read({ name: 'in_flight', help: 'In flight.', type: 'gauge' }, report => report(7))
  const lines = (await renderMetrics([await metrics.snapshot()])).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      '# TYPE requests_total counter',
      'requests_total{process="edge",route="chat \\"1\\"\\n"} 3',
      '# TYPE duration_seconds histogram',
      'duration_seconds_bucket{process="edge",le="0.001"} 1',
      'duration_seconds_bucket{process="edge",le="0.002"} 1',
      'duration_seconds_bucket{process="edge",le="0.004"} 2',
      'duration_seconds_bucket{process="edge",le="+Inf"} 3',
      'duration_seconds_sum{process="edge"} 9.004',
      'duration_seconds_count{process="edge"} 3',
      'in_flight{process="edge"} 7',
    ]),
  )
  expect(lines.some(line => line.startsWith('nodejs_eventloop_lag_p99_seconds{process="edge"}'))).toBe(true)
})

test('processes of a machine are added up, ended ones included, and the worst health counts', async () => {
  const open = async (count: number, up: number) => {
    const metrics = openMetrics('edge')
    metrics.counter({ name: 'requests_total', help: 'Requests.' }).of().value += count
    metrics.histogram({ name: 'duration_seconds', help: 'Duration.', buckets: seconds }).of().observe(count)
    metrics.read({ name: 'up', help: 'Up.', type: 'gauge', aggregation: 'min' }, report => report(up))
    return metrics.snapshot()
  }
  const ended = await foldEnded([await open(1, 0), await open(2, 0)])
  const gauges = (await renderMetrics([ended])).match(/^# TYPE \w+ gauge$/gm)
  expect(gauges).toBeNull()
  const text = await renderMetrics([
    await foldEnded([ended, await open(4, 0)]),
    await open(8, 1),
    await open(16, 1),
  ])
  expect(text).toContain('requests_total{process="edge"} 31')
  expect(text).toContain('duration_seconds_count{process="edge"} 5')
  expect(text).toContain('up{process="edge"} 1')
})

test('a thousand models of eighteen vendors make a bounded scrape without losing a count', async () => {
  const metrics = openMetrics('edge')
  const requests = metrics.counter({
    name: 'requests_total',
    help: 'Requests.',
    labels: ['route', 'model', 'vendor'],
    open: ['model'],
  })
  for (let model = 0; model < 1_000; model++)
    for (let vendor = 0; vendor < 18; vendor++)
      requests.of('chat', `model-${model}`, `vendor_${vendor}`).value += 1
  const [family] = (await metrics.snapshot()).families
  expect(family!.series.length).toBe(maxSeries + 18)
  expect(family!.series.reduce((sum, [, [value = 0]]) => sum + value, 0)).toBe(18_000)
  expect(family!.series.filter(([labels]) => labels[1] === 'other')).toHaveLength(18)
})
