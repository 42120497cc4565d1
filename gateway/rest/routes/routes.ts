import { account, auth } from './accounts.ts'
import { alerts } from './alerts.ts'
import { apiKeys } from './api-keys.ts'
import { audit } from './audit.ts'
import { billing } from './billing.ts'
import { budgets } from './budgets.ts'
import { byok } from './byok.ts'
import { logs, usage } from './logs.ts'
import { members } from './members.ts'
import { models, pricing } from './models.ts'
import { operators } from './operators.ts'
import type { Route } from './route.ts'
import { signIn } from './sign-in.ts'
import { singleSignOn } from './single-sign-on.ts'
import { tasks } from './tasks.ts'

/** Every route of the REST API below `/api/v1`. If two routes match a path, the first one is used. */
export const routes: readonly Route[] = [
  ...auth,
  ...signIn,
  ...singleSignOn,
  ...account,
  ...operators,
  ...members,
  ...apiKeys,
  ...budgets,
  ...byok,
  ...models,
  ...pricing,
  ...billing,
  ...alerts,
  ...audit,
  ...tasks,
  ...logs,
  ...usage,
]
