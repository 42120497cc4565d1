/** The pages of an account, as their addresses are without parameters. The tests open each of them. */
export const accountPages = [
  '/console',
  '/console/alerts',
  '/console/audit-log',
  '/console/billing',
  '/console/budgets',
  '/console/callbacks',
  '/console/credentials',
  '/console/first-steps',
  '/console/keys',
  '/console/members',
  '/console/models?search=atlas', // a few models: axe needs a second for fifty
  '/console/playground',
  '/console/playground/images',
  '/console/requests',
  '/console/settings',
  '/console/settings/account',
  '/console/settings/sign-in',
  '/console/tasks',
  '/console/usage',
]

/** The pages that need no session. */
export const publicPages = [
  '/console/log-in',
  '/console/sign-up',
  '/console/forgotten-password',
  '/console/accept-invitation',
  '/console/change-email',
  '/console/confirm-email',
  '/console/reopen-account',
  '/console/reset-password',
  '/console/nowhere',
]

/** Other pages of the servers, which share the console's tokens. */
export const servicePages = ['/docs', '/nowhere', '/account/sign-in']

/** The pages of an operator. Each asks for the key when it is loaded. */
export const operatorPages = [
  '/console/operator/accounts',
  '/console/operator/audit-log',
  '/console/operator/books',
  '/console/operator/catalogue',
  '/console/operator/catalogue/chat.atlas',
  '/console/operator/catalogue/new',
  '/console/operator/vendors',
]
