import { defineMessages } from '../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Forgotten password',
    intro: 'We send you a link with which you set a new password.',
    submit: 'Send the link',
    sent: 'If an account has this address, the e-mail is on its way.',
    back: 'Back to the log-in',
  },
  de: {
    title: 'Passwort vergessen',
    intro: 'Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort setzen.',
    submit: 'Link senden',
    sent: 'Wenn ein Konto diese Adresse hat, ist die E-Mail unterwegs.',
    back: 'Zurück zur Anmeldung',
  },
})
