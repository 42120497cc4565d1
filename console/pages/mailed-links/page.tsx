export { AcceptInvitation } from './accept-invitation.tsx'
export { ConfirmEmail } from './confirm-email.tsx'
export { ResetPassword } from './reset-password.tsx'
