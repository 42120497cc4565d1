import { readAccount } from '../../domain/accounts/accounts.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { presentAccount } from './account.ts'
import { ActiveSessionResolver, findSession } from './active-session.ts'
import { AccountAllowancesResolver, OverviewAllowancesResolver } from './allowance.ts'
import { ClosureResolver } from './closure.ts'
import { ConfirmEmailResolver } from './confirm-email.ts'
import { ConfirmIdentityResolver } from './confirm-identity.ts'
import { EnrolmentResolver } from './enrolment.ts'
import { findInvitationById, InvitationsResolver } from './invitations.ts'
import { LogInResolver } from './log-in.ts'
import { MembersResolver, OwnAccountsResolver } from './members.ts'
import { AccountOverviewResolver, ResetSecondFactorsResolver } from './operator.ts'
import { PasswordResolver } from './password.ts'
import { SecondFactorResolver } from './second-factor.ts'
import { SessionResolver } from './session.ts'
import { SignInStatusResolver } from './sign-in-status.ts'
import { findIdentity, SingleSignOnResolver } from './single-sign-on.ts'
import { findUser, ViewerResolver } from './viewer.ts'

/** Accounts, their members, invitations and sessions, and log-in. */
export const subgraph: Subgraph = {
  name: 'accounts',
  resolvers: [
    ViewerResolver,
    SessionResolver,
    LogInResolver,
    ConfirmIdentityResolver,
    SecondFactorResolver,
    EnrolmentResolver,
    SignInStatusResolver,
    SingleSignOnResolver,
    ConfirmEmailResolver,
    PasswordResolver,
    ActiveSessionResolver,
    OwnAccountsResolver,
    MembersResolver,
    InvitationsResolver,
    AccountOverviewResolver,
    ClosureResolver,
    ResetSecondFactorsResolver,
    AccountAllowancesResolver,
    OverviewAllowancesResolver,
  ],
  references: {
    Account: async (context, id) => {
      if (context.caller?.accountId !== id) return undefined
      return presentAccount(await readAccount(context, { accountId: id }))
    },
    User: findUser,
    ActiveSession: findSession,
    Invitation: findInvitationById,
    LinkedIdentity: findIdentity,
  },
}
