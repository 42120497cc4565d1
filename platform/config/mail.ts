import { mailbox, noneOr, type Setting, url } from './parsers.ts'

/** How e-mail leaves. */
export const mail = {
  smtpUrl: {
    env: 'SMTP_URL',
    doc: 'the mail server that sends alerts, `smtps://user:password@host` or `smtp://…`, which encrypts where the server can and always before a password; `none` sends nothing. In production a mail server is required: `none` is refused, and so is a port of this machine other than 25, 465 and 587, which would be the mailbox simulator',
    default: 'none',
    parse: noneOr(url('smtp:', 'smtps:')),
    secret: true,
  },
  mailFrom: {
    env: 'MAIL_FROM',
    doc: 'who e-mails are from, `Name <name@example.com>`',
    default: 'Rubicon <alerts@rubicon.invalid>',
    parse: mailbox,
    secret: true,
  },
} satisfies Record<string, Setting<unknown>>
