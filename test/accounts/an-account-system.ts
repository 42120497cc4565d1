import { sendLink } from '../../domain/accounts/send-link.ts'
import { sendClosure } from '../../domain/closures/send-closure.ts'
import { sendInvitation } from '../../domain/members/send-invitation.ts'
import { type RunningMailbox, startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { aControlPlane, type ControlPlane } from '../harness/a-control-plane.ts'

/** A control plane whose e-mails a mailbox catches. Links are sent when a test says so, as a worker would. */
export interface AccountSystem extends ControlPlane {
  mailbox: RunningMailbox
  /** Sends the links that were requested and not sent yet. Returns the tokens in the e-mails to an address. */
  tokensTo(email: string): Promise<string[]>
}

export async function anAccountSystem(env: Record<string, string> = {}): Promise<AccountSystem> {
  const mailbox = await startMailbox()
  const limits = { SIGN_UPS: '1000', LOGIN_TRIES: '1000', TRUSTED_PROXIES: '127.0.0.1/32' }
  const control = await aControlPlane({ SMTP_URL: mailbox.smtpUrl, ...limits, ...env })
  const sent = new Set<string>()
  return {
    ...control,
    mailbox,
    async tokensTo(email) {
      const { sql } = control.context
      const jobs = await sql<{ name: string; linkId: string }[]>`
        select t.identifier as name, coalesce(j.payload ->> 'linkId', j.payload ->> 'invitationLinkId') as "linkId"
        from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier in ('send-link', 'send-invitation', 'send-closure') order by j.id`
      const { context } = control
      const { signal } = new AbortController()
      for (const { name, linkId } of jobs) {
        if (sent.has(linkId)) continue
        sent.add(linkId)
        if (name === 'send-link') await sendLink(context, { link: { linkId }, signal })
        else if (name === 'send-closure') await sendClosure(context, { closure: { linkId }, signal })
        else await sendInvitation(context, { invitation: { invitationLinkId: linkId }, signal })
      }
      const mails = mailbox.mails.filter(({ recipients }) => recipients.includes(email))
      return mails.map(({ text }) => /#(\S+)/.exec(text)?.[1] ?? '')
    },
    async close() {
      await control.close()
      await mailbox.close()
    },
  }
}
