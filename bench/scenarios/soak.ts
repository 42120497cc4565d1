import { readMemory } from '../measure/process-tree.ts'
import { fitTrend, type MemorySample } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { planRound } from '../rounds/run-round.ts'
import { withBooksChecked } from '../system/check-books.ts'
import type { Scenario } from './scenario.ts'

/** Duration of a segment. Segments with whole and with streamed responses alternate. */
const segmentSeconds = 20
/** Maximum growth over the time that counts, as a share of the median: below this, memory is level. */
const maxGrowthShare = 0.05

/** Returns a scenario that loads the edge for a number of minutes, and checks whether its memory grows. */
export function soak(minutes: number): Scenario {
  return {
    name: 'soak',
    description: `${minutes} minutes, 50 connections, 1,000 keys`,
    async run(system, { tell }) {
      const samples: MemorySample[] = []
      const segments = Math.max(2, Math.round((minutes * 60) / segmentSeconds))
      const seconds = (minutes * 60) / segments
      const { answers, faults } = await withBooksChecked(system.context, async () => {
        const total = { answers: 0, faults: [] as string[] }
        const startedAt = performance.now()
        using _sampling = setInterval(() => {
          const atSeconds = (performance.now() - startedAt) / 1000
          samples.push({ atSeconds, residentBytes: readMemory(system.edge.pid).residentBytes })
        }, 1000)
        for (let segment = 0; segment < segments; segment++) {
          const streamChunks = segment % 2 === 0 ? 0 : 20
          const load = { shape: { connections: 50 }, keys: 1000, streamChunks }
          const plan = planRound(system, { load, lengths: { warmUpSeconds: 0, seconds } })
          const result = await system.load.generate(plan)
          total.answers += result.answers
          total.faults.push(...result.faults)
          tell(`${Math.round((segment + 1) * seconds)} s, ${total.answers.toLocaleString('en-US')} answers`)
        }
        return total
      })
      const trend = fitTrend(samples)
      const tenths = Array.from({ length: 11 }, (_, tenth) => {
        const sample = samples[Math.floor((tenth / 10) * (samples.length - 1))]
        return [`${tenth * 10} %`, (sample?.residentBytes ?? Number.NaN) / 1e6]
      })
      return {
        rows: [
          row("edge's memory, MB", Object.fromEntries(tenths)),
          row(
            'after the first third',
            {
              'MB per minute': trend.growthBytesPerMinute / 1e6,
              'median MB': trend.medianBytes / 1e6,
              'growth share': trend.growthShare,
            },
            { 'growth share': { max: maxGrowthShare } },
          ),
          row('answers', { total: answers }),
        ],
        faults,
        data: { ...trend, samples },
      }
    },
  }
}
