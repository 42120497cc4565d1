import { defineMessages } from '../../../text/language.ts'

/** The texts that the pages of the settings share. */
export const messages = defineMessages({
  en: {
    title: 'Settings',
    user: 'You',
    signIn: 'Sign-in',
    account: 'Account',
    name: 'Name',
    save: 'Save',
    saved: 'Saved.',
    done: 'Done',
    never: 'Never',
    actions: 'Actions',
  },
  de: {
    title: 'Einstellungen',
    user: 'Sie',
    signIn: 'Anmeldung',
    account: 'Konto',
    name: 'Name',
    save: 'Speichern',
    saved: 'Gespeichert.',
    done: 'Fertig',
    never: 'Nie',
    actions: 'Aktionen',
  },
})
