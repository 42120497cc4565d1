/** The load generator: a process that receives plans and returns results (`generate-load.ts`). */
import { askAtRate } from './ask-at-rate.ts'
import { askInTurn } from './ask-in-turn.ts'
import { composeRequest } from './compose-request.ts'
import type { LoadPlan, LoadResult } from './plan.ts'
import { openTally } from './tally.ts'

process.on('message', async (plan: LoadPlan) => {
  process.send?.(await run(plan))
})
process.once('disconnect', () => process.exit())

async function run(plan: LoadPlan): Promise<LoadResult> {
  const { port, shape } = plan
  const requests = plan.keys.map(key => composeRequest(plan, key))
  let turn = 0
  const next = () => requests[turn++ % requests.length]!
  const tally = openTally(plan)
  if ('connections' in shape) await askInTurn(port, { ...shape, next, tally })
  else await askAtRate(port, { ...shape, next, tally })
  return tally.result()
}
