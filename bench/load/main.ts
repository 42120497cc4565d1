/** The load generator: a process that receives plans and returns results (`generate-load.ts`). */
import { Value } from 'typebox/value'
import { askAtRate } from './ask-at-rate.ts'
import { askInTurn } from './ask-in-turn.ts'
import { askOnce } from './ask-once.ts'
import { composeRequest } from './compose-request.ts'
import { type LoadFailure, LoadPlan, type LoadResult } from './plan.ts'
import { openTally } from './tally.ts'

process.on('message', async message => {
  process.send?.(await follow(Value.Parse(LoadPlan, message)))
})
process.once('disconnect', () => process.exit())

async function follow(plan: LoadPlan): Promise<LoadResult | LoadFailure> {
  const { port, shape } = plan
  const requests = plan.keys.map(key => composeRequest(plan, key))
  let turn = 0
  const next = () => requests[turn++ % requests.length]!
  const tally = openTally(plan)
  if ('connections' in shape) await askInTurn(port, { connections: shape.connections, next, tally })
  else if ('once' in shape) await askOnce(port, { connections: shape.once, next, tally })
  else await askAtRate(port, { perSecond: shape.perSecond, next, tally })
  return tally.result()
}
