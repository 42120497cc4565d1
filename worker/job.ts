import type { Context } from '../domain/context.ts'

/** Work that is due again and again. Several workers may do it at once: the verb it calls allows that. */
export interface Job {
  /** An order, as its file is called. */
  name: string
  everyMs: number
  run(context: Context): Promise<void>
}
