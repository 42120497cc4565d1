import { cancelledEnd } from '../../domain/tasks/cancel-task.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import type { TaskName } from '../../domain/tasks/task.ts'
import { beginStep, changeTask, type TaskInProgress } from '../../domain/tasks/task-steps.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { pollUpstream } from './poll-upstream.ts'
import { storeFiles } from './store-files.ts'
import { submitUpstream } from './submit-upstream.ts'
import { modelRemoved } from './task-ends.ts'
import { finish, openRun, type TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** Minimum delay before a step is repeated after a fault of ours or of Postgres, in milliseconds; jittered up to twice this. */
const faultMs = 2_000

/** Delay before an own-credential step is tried again if this process has no capacity, jittered up to twice this. */
const noCapacityMs = 1_000

/**
 * Takes one step of a task: submits it to its vendor, polls the vendor, or stores its files. The step itself says when the
 * next one is due. Does nothing if another worker takes a step of the task. A step that throws is repeated: no step does
 * anything twice.
 */
export async function advance(services: TaskServices, name: TaskName, signal: AbortSignal): Promise<void> {
  const { context } = services
  const worker = await services.worker()
  const task = await beginStep(context, { ...name, worker })
  if (!task) return
  try {
    await takeStep(services, task, signal)
  } catch (error) {
    context.log.error({ taskId: name.id, error: explainFault(error) }, 'a task was not advanced')
    await changeTask(context, task, { nextMs: faultMs * (1 + Math.random()) })
  }
}

async function takeStep(services: TaskServices, task: TaskInProgress, signal: AbortSignal): Promise<void> {
  const { context } = services
  const model = await services.modelOf(task.model)
  if (!model) return void (await finishTask(context, task, { end: modelRemoved }))
  if (!(await usesOwnCredential(services, task))) return step(openRun(services, task, model, signal))
  const leave = services.steps.enterOwn()
  if (!leave) return void (await changeTask(context, task, { nextMs: noCapacityMs * (1 + Math.random()) }))
  return step(openRun(services, task, model, signal)).finally(leave)
}

/** Whether the step may call a vendor with a credential of the account. */
async function usesOwnCredential({ byok }: TaskServices, task: TaskInProgress): Promise<boolean> {
  if (task.ownOnly || task.byokId !== null) return true
  if (task.status !== 'queued' && task.status !== 'submitting') return false
  return (await byok.find(task.accountId, task.byokRevision, task.vendor)).length > 0
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
