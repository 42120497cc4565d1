import { mailbox, noneOr, type Setting, url } from './parsers.ts'

/** How e-mail leaves. */
export const mail = {
  smtpUrl: {
    env: 'SMTP_URL',
    doc: 'the mail server that sends alerts, `smtps://user:password@host` or `smtp://…`, which encrypts where the server can and always before a password; `none` sends nothing',
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
