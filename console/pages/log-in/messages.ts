import { defineMessages } from '../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Log in',
    password: 'Password',
    submit: 'Log in',
    forgotten: 'Forgotten password?',
    noAccount: 'No account yet?',
    signUp: 'Sign up',
    or: 'or',
    passkey: 'Log in with a passkey',
    singleSignOn: 'Single sign-on',
    continueWith: (issuer: string) => `Continue with ${issuer}`,
    noIssuer: 'There is no single sign-on for this address.',
    find: 'Continue',
    back: 'Back',
    secondFactor: 'Second factor',
    ssoFailed: (reason: string) => `The single sign-on failed (${reason}). Try again.`,
  },
  de: {
    title: 'Anmelden',
    password: 'Passwort',
    submit: 'Anmelden',
    forgotten: 'Passwort vergessen?',
    noAccount: 'Noch kein Konto?',
    signUp: 'Registrieren',
    or: 'oder',
    passkey: 'Mit einem Passkey anmelden',
    singleSignOn: 'Single Sign-on',
    continueWith: (issuer: string) => `Weiter mit ${issuer}`,
    noIssuer: 'Für diese Adresse gibt es kein Single Sign-on.',
    find: 'Weiter',
    back: 'Zurück',
    secondFactor: 'Zweiter Faktor',
    ssoFailed: (reason: string) =>
      `Das Single Sign-on ist fehlgeschlagen (${reason}). Versuchen Sie es erneut.`,
  },
})
