import type { Route } from './route.ts'
import { account } from './routes/account.ts'
import { apiKeys } from './routes/api-keys.ts'
import { auth } from './routes/auth.ts'
import { billing } from './routes/billing.ts'
import { byok } from './routes/byok.ts'
import { logs } from './routes/logs.ts'
import { models } from './routes/models.ts'
import { pricing } from './routes/pricing.ts'

/** Every row of the REST face below `/api/v1`; of two that fit an address the first serves. */
export const routes: readonly Route[] = [
  ...auth,
  ...account,
  ...apiKeys,
  ...byok,
  ...models,
  ...pricing,
  ...billing,
  ...logs,
]
