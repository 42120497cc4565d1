import { type CreditedTopUp, invoiceTopUp as invoice } from '../../domain/automatic-top-ups/invoice-top-up.ts'
import type { Job } from './worker-services.ts'

/** Creates the invoice of an automatic top-up; `change_payment` adds it. */
export const invoiceTopUp: Job<CreditedTopUp> = {
  name: 'invoice-top-up',
  run: ({ context, payments }, topUp) => invoice({ ...context, payments }, topUp),
}
