import { readAccount } from '../../domain/accounts/accounts.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { presentAccount } from './account.ts'
import { ActiveSessionResolver, findSession } from './active-session.ts'
import { AccountAllowancesResolver, OverviewAllowancesResolver } from './allowance.ts'
import { OwnClosureResolver } from './closure.ts'
import { ConfirmIdentityResolver } from './confirm-identity.ts'
import { EmailAddressResolver } from './email-address.ts'
import { EnrolmentResolver } from './enrolment.ts'
import { findInvitationById, InvitationsResolver } from './invitations.ts'
import { LogInResolver } from './log-in.ts'
import { MembersResolver } from './members.ts'
import { MembershipsResolver } from './memberships.ts'
import { NamesResolver } from './names.ts'
import { AccountOverviewResolver } from './operators/accounts.ts'
import { ClosureResolver } from './operators/closure.ts'
import { OperatorResolver } from './operators/operator.ts'
import { ResetSecondFactorsResolver } from './operators/reset-second-factors.ts'
import { ViewAccountResolver } from './operators/view.ts'
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
    NamesResolver,
    SessionResolver,
    LogInResolver,
    ConfirmIdentityResolver,
    SecondFactorResolver,
    EnrolmentResolver,
    SignInStatusResolver,
    SingleSignOnResolver,
    EmailAddressResolver,
    PasswordResolver,
    ActiveSessionResolver,
    MembershipsResolver,
    MembersResolver,
    InvitationsResolver,
    OperatorResolver,
    AccountOverviewResolver,
    ViewAccountResolver,
    ClosureResolver,
    OwnClosureResolver,
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
