import { detachCard as detach } from '../../domain/stripe/saved-cards.ts'
import type { Job } from './worker-services.ts'

/** Detaches a removed card at Stripe; `detach_card` adds it. */
export const detachCard: Job<{ cardId: string }> = {
  name: 'detach-card',
  run: ({ context, payments }, method) => detach({ ...context, payments }, method),
}
