import { join } from 'node:path'
import { systemIds } from '../../platform/ids.ts'
import { fillLog } from '../logs/fill-log.ts'
import { type Question, questionsOf } from '../logs/questions.ts'
import { settleBeside } from '../logs/settle-beside.ts'
import { median } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { startStores } from '../system/start-stores.ts'
import type { Scenario } from './scenario.ts'

const millions = [1, 10]
const quickRows = 100_000
const runs = 11
const maxMedianMs = 200

const postgresFlags = ['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=8GB']

/** The console's queries on a long request log, on its own PostgreSQL, and settling next to them. */
export const logs: Scenario[] = millions.map(count => ({
  name: `logs-${count}m`,
  description: `queries on a log of ${count} million requests over 60 days, mixed with those of other accounts`,
  isOptional: true,
  async run({ folder }, { isQuick, tell }) {
    await using stack = new AsyncDisposableStack()
    const { context } = await startStores(join(folder, 'logs'), stack, { postgresFlags })
    const accountId = systemIds.uuid()
    const startedAt = performance.now()
    const rows = isQuick ? quickRows : count * 1e6
    const { keyIds } = await fillLog(context.sql, { accountId, rows })
    tell(`${rows.toLocaleString('en-US')} rows in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    const questions = questionsOf(context, { accountId, keyIds })
    const measured: Row[] = []
    for (const question of questions) measured.push(await measure(question))
    const { alone, beside } = await settleBeside(context.sql, questions)
    return {
      rows: [
        ...measured,
        row('settling for another account, alone', alone),
        row('settling for another account, under these queries', beside),
      ],
      faults: [],
    }
  },
}))

async function measure([label, ask]: Question) {
  const durationsMs: number[] = []
  let rows = 0
  while (durationsMs.length < runs) {
    const startedAt = performance.now()
    rows = await ask()
    durationsMs.push(performance.now() - startedAt)
  }
  const figures = { 'p50 ms': median(durationsMs), 'max ms': Math.max(...durationsMs), rows }
  return row(label, figures, { 'p50 ms': { max: maxMedianMs } })
}
