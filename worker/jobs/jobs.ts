import { advanceTask } from './advance-task.ts'
import { detachCard } from './detach-card.ts'
import { invoiceTopUp } from './invoice-top-up.ts'
import { sendBalanceAlert } from './send-balance-alert.ts'
import { sendBudgetAlert } from './send-budget-alert.ts'
import { sendCallback } from './send-callback.ts'
import { sendCapAlert } from './send-cap-alert.ts'
import { sendClosure } from './send-closure.ts'
import { sendInvitation } from './send-invitation.ts'
import { sendLink } from './send-link.ts'
import { sendSignInNotice } from './send-sign-in-notice.ts'
import { sendTopUpNotice } from './send-top-up-notice.ts'
import { topUpAutomatically } from './top-up-automatically.ts'
import type { Job } from './worker-services.ts'

/** Every job that is added by name, with what it carries (`platform/jobs/add-job.ts`). */
export const jobs: readonly Job<unknown>[] = [
  advanceTask,
  sendCallback,
  sendBalanceAlert,
  sendBudgetAlert,
  sendCapAlert,
  sendLink,
  sendSignInNotice,
  topUpAutomatically,
  sendTopUpNotice,
  invoiceTopUp,
  detachCard,
  sendInvitation,
  sendClosure,
]
