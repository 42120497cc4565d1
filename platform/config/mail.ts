import { mailbox, noneOr, type Setting, url } from './parsers.ts'

/** The mail server and the sender of e-mails. */
export const mail = {
  smtpUrl: {
    env: 'SMTP_URL',
    doc: 'the mail server, as `smtps://user:password@host` or `smtp://…`, which uses TLS if the server offers it, and always before a password. `none` sends no e-mail. In production, `none` is refused, and so is any port of this machine other than 25, 465 and 587, because it could be the mailbox simulator',
    default: 'none',
    parse: noneOr(url('smtp:', 'smtps:')),
    secret: true,
  },
  mailFrom: {
    env: 'MAIL_FROM',
    doc: 'the sender of e-mails, as `Name <name@example.com>`',
    default: 'Rubicon <alerts@rubicon.invalid>',
    parse: mailbox,
    secret: true,
  },
} satisfies Record<string, Setting<unknown>>
