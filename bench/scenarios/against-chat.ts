import { models } from '../load/models.ts'
import type { Load } from '../load/plan.ts'
import { medianOf } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { ratioOf, runPairs } from '../rounds/run-pairs.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import type { Scenario } from './scenario.ts'

const whole: Load = { shape: { connections: 50 }, keys: 1 }
const streamed: Load = { shape: { connections: 20 }, keys: 1, streamChunks: 20 }

/**
 * The edge's CPU for translated requests, compared with vendor_a's chat, which is forwarded unchanged. vendor_b uses the
 * Messages format, vendor_c the Gemini format; the client of the Responses protocol calls vendor_a.
 */
export const againstChat: Scenario[] = [
  compared('vendor-b-whole', 'vendor_b, 50 connections', { ...whole, model: models.b }),
  compared('vendor-b-streamed', 'vendor_b, 20 chunks, 20 connections', { ...streamed, model: models.b }, 1.6),
  compared('vendor-c-whole', 'vendor_c, 50 connections', { ...whole, model: models.c }),
  compared('vendor-c-streamed', 'vendor_c, 20 chunks, 20 connections', { ...streamed, model: models.c }, 1.6),
  compared('responses-whole', 'Responses, 50 connections', { ...whole, protocol: 'responses' }),
  compared('responses-streamed', 'Responses, 20 chunks, 20 connections', {
    ...streamed,
    protocol: 'responses',
  }),
]

/** The edge's CPU that a chat of 100 kB costs more than one of 0.4 kB. */
export const longPrompts: Scenario = {
  name: 'long-prompts',
  description: 'a chat of 100 kB, 20 connections, to one of 0.4 kB',
  async run(system, { rounds, lengths }) {
    const shape = { connections: 20 }
    const pairs = await runPairs(rounds, {
      base: () => runRound(system, { load: { shape, keys: 1 }, lengths }),
      other: () => runRound(system, { load: { shape, keys: 1, historyBytes: 100_000 }, lengths }),
    })
    const [short, long] = [pairs.base, pairs.other].map(side => medianOf(side, ({ cpuMs }) => cpuMs.edge!))
    const figures = { short: short!, long: long!, added: long! - short! }
    return {
      rows: [row("edge's CPU ms per response", figures, { added: { max: 0.54 } })],
      faults: pairs.faults,
      data: pairs,
    }
  },
}

/** Returns a scenario that alternates a load and vendor_a's chat on the edge. */
function compared(name: string, description: string, load: Load, maxCpuRatio?: number): Scenario {
  const { streamChunks: chunks } = load
  return {
    name,
    description: `${description}, to vendor_a's chat`,
    async run(system, { rounds, lengths }) {
      const pairs = await runPairs(rounds, {
        base: () => runRound(system, { load: chunks ? streamed : whole, lengths }),
        other: () => runRound(system, { load, lengths }),
      })
      const cpuMs = (round: Round) => round.cpuMs.edge!
      const [chat, translated] = [medianOf(pairs.base, cpuMs), medianOf(pairs.other, cpuMs)]
      const rows = [
        row(
          "edge's CPU ms per response",
          { chat, translated, ...ratioOf(pairs, cpuMs) },
          { ratio: { max: maxCpuRatio } },
        ),
      ]
      if (chunks) {
        const perChunk = { chat: (chat / chunks) * 1000, translated: (translated / chunks) * 1000 }
        rows.push(row("edge's CPU µs per chunk", perChunk))
      }
      return { rows, faults: pairs.faults, data: pairs }
    },
  }
}
