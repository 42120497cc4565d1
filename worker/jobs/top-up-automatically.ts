import { topUpAutomatically as topUp } from '../../domain/automatic-top-ups/top-up-automatically.ts'
import type { Job } from './worker-services.ts'

/** Tops up an account whose available credits are low; `request_automatic_top_up` adds it. */
export const topUpAutomatically: Job<{ accountId: string }> = {
  name: 'top-up-automatically',
  run: ({ context, payments }, account) => topUp({ ...context, payments }, account),
}
