import { accountRoute, rootRoute } from '../shell/route.tsx'
import { alertsRoute } from './alerts/route.ts'
import { auditLogRoute } from './audit-log/route.ts'
import { billingRoute } from './billing/route.ts'
import { budgetsRoute } from './budgets/route.ts'
import { callbacksRoute } from './callbacks/route.ts'
import { credentialsRoute } from './credentials/route.ts'
import { firstStepsRoute } from './first-steps/route.ts'
import { forgottenPasswordRoute } from './forgotten-password/route.ts'
import { keysRoute } from './keys/route.ts'
import { logInRoute } from './log-in/route.ts'
import { mailedLinkRoutes } from './mailed-links/route.ts'
import { membersRoute } from './members/route.ts'
import { modelsRoute } from './models/route.ts'
import { overviewRoute } from './overview/route.ts'
import { playgroundRoute } from './playground/route.ts'
import { playgroundMediaRoute } from './playground-media/route.ts'
import { requestsRoute } from './requests/route.ts'
import { accountSettingsRoute, signInSettingsRoute, userSettingsRoute } from './settings/route.ts'
import { signUpRoute } from './sign-up/route.ts'
import { tasksRoute } from './tasks/route.ts'
import { usageRoute } from './usage/route.ts'

/**
 * The pages of an account, and the pages without a session. A new page is one line here (console/README.md). Browsers load
 * this file with the first page that is not the log-in or the overview.
 */
export const routeTree = rootRoute.addChildren([
  logInRoute,
  signUpRoute,
  forgottenPasswordRoute,
  ...mailedLinkRoutes,
  accountRoute.addChildren([
    overviewRoute, //
    firstStepsRoute,
    keysRoute,
    playgroundRoute,
    playgroundMediaRoute,
    requestsRoute,
    modelsRoute,
    usageRoute,
    billingRoute,
    credentialsRoute,
    tasksRoute,
    callbacksRoute,
    alertsRoute,
    budgetsRoute,
    auditLogRoute,
    membersRoute,
    userSettingsRoute,
    signInSettingsRoute,
    accountSettingsRoute,
  ]),
])
