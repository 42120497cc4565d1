import { readTaskInProgress } from '../../domain/tasks/advance-task.ts'
import { cancelledEnd } from '../../domain/tasks/cancel-task.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import type { TaskName } from '../../domain/tasks/task.ts'
import { addJobSurely } from '../../platform/jobs/add-job.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { pollUpstream } from './poll-upstream.ts'
import { storeFiles } from './store-files.ts'
import { submitUpstream } from './submit-upstream.ts'
import { modelGone } from './task-ends.ts'
import { finish, openRun, type TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** Somebody else works on the task: it is looked at again after so long, in milliseconds. */
const busyMs = 500

/** The account has its share of this process under way: the task waits so long, and up to twice that. */
const noRoomMs = 1_000

/** After a fault of ours, or of Postgres, it is taken up again after so long, and up to twice that. */
const faultMs = 2_000

/**
 * Brings a task one step further: submits it to its vendor, asks how it stands, or stores what was made. The step says
 * itself when the next is due. A step that throws is taken again soon: none does a thing twice.
 */
export async function advance(services: TaskServices, name: TaskName, signal: AbortSignal): Promise<void> {
  const giveBack = services.shares.take(name.accountId)
  if (!giveBack) return comeBack(services, name, noRoomMs * (1 + Math.random()))
  try {
    const unlock = await services.locks.tryLock(`task:${name.id}`)
    if (!unlock) return await comeBack(services, name, busyMs)
    await advanceLocked(services, name, signal).finally(unlock)
  } catch (error) {
    services.context.log.error({ taskId: name.id, error: explainFault(error) }, 'a task was not advanced')
    await comeBack(services, name, faultMs * (1 + Math.random()))
  } finally {
    giveBack()
  }
}

/** In place of a job that waits, so that there is one alone. */
function comeBack({ context }: TaskServices, name: TaskName, afterMs: number): Promise<void> {
  return addJobSurely(context.sql, { name: 'advance-task', payload: name, key: `task:${name.id}`, afterMs })
}

async function advanceLocked(services: TaskServices, name: TaskName, signal: AbortSignal): Promise<void> {
  const { context } = services
  const task = await readTaskInProgress(context, name)
  if (!task) return
  const model = await services.modelOf(task.model)
  if (model) await step(openRun(services, task, model, signal))
  else await finishTask(context, task, { end: modelGone })
}

function step(run: TaskRun): Promise<void> {
  const { status, isCancelRequested } = run.task
  switch (status) {
    case 'queued':
    case 'submitting':
      return isCancelRequested && !run.task.isSending ? finish(run, cancelledEnd) : submitUpstream(run)
    case 'running':
      return pollUpstream(run)
    default:
      return storeFiles(run)
  }
}
