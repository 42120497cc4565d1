import { defineMessages } from '../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Create an account',
    password: 'Password',
    passwordHint: 'At least 8 characters.',
    name: 'Name of the account (optional)',
    submit: 'Sign up',
    hasAccount: 'Already have an account?',
    logIn: 'Log in',
  },
  de: {
    title: 'Konto anlegen',
    password: 'Passwort',
    passwordHint: 'Mindestens 8 Zeichen.',
    name: 'Name des Kontos (optional)',
    submit: 'Registrieren',
    hasAccount: 'Schon ein Konto?',
    logIn: 'Anmelden',
  },
})
