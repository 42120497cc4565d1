import { directLedger } from '../../domain/committer/open-committer.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import type { Ledger } from '../../domain/ledger/ledger.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { type NewTask, submitTask } from '../../domain/tasks/submit-task.ts'
import type { Task } from '../../domain/tasks/task.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { aControlPlane, type ControlPlane, type Person } from '../harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../harness/an-account.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask } from './a-task.ts'

/** A control plane with the catalogue, and a person with a key and money to submit tasks. No worker advances them. */
export interface GraphSystem {
  control: ControlPlane
  ledger: Ledger
  person: Person
  key: TestKey
  /** A model of videos. */
  video: CatalogueEntry
  submit(options?: Partial<NewTask>): Promise<Task>
  close(): Promise<void>
}

export async function aGraphSystem(
  env: Record<string, string> = {},
  options: Parameters<typeof aControlPlane>[1] = {},
): Promise<GraphSystem> {
  const control = await aControlPlane(env, options)
  const catalogue = await theCatalogue()
  await applyCatalogue(control.context, catalogue)
  const video = catalogue.models.find(({ modality }) => modality === 'video')
  if (!video) throw new Error('the catalogue has no model of videos')
  const ledger = await openLedger(control.context, { kind: 'edge' })
  const person = await control.aPerson()
  const { accountId } = person
  const key = await anApiKey(control.context, { accountId })
  await creditAccount(control.context, {
    accountId,
    amountNanos: 1_000_000_000_000n,
    source: 'test-credit',
    paymentMethod: 'grant',
  })
  return {
    control,
    ledger,
    person,
    key,
    video,
    submit: (task = {}) =>
      submitTask(
        { context: control.context, ledger: directLedger(ledger) },
        aNewTask(control.context, key, { model: video.model, ...task }),
      ),
    async close() {
      await closeLedger(ledger)
      await control.close()
    },
  }
}
