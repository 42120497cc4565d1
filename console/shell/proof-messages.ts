import { defineMessages } from '../text/language.ts'

/** The texts of proofs of identity: in the second step of a log-in, and in a confirmation. */
export const messages = defineMessages({
  en: {
    password: 'Password',
    code: 'Code of your authenticator app',
    recoveryCode: 'Recovery code',
    useRecoveryCode: 'Use a recovery code',
    useCode: 'Use the authenticator app',
    usePasskey: 'Use a passkey',
    confirm: 'Confirm',
    passkeyFailed: 'The passkey was not used. Try again.',
    confirmTitle: 'Confirm that it is you',
    confirmText:
      'This action needs a recent proof of your identity. A confirmation is valid for ten minutes.',
    logInAgain: 'Log in again',
    logInAgainText:
      'You have no password and no passkey. Log in again, and repeat the action within ten minutes.',
  },
  de: {
    password: 'Passwort',
    code: 'Code der Authenticator-App',
    recoveryCode: 'Wiederherstellungscode',
    useRecoveryCode: 'Wiederherstellungscode verwenden',
    useCode: 'Authenticator-App verwenden',
    usePasskey: 'Passkey verwenden',
    confirm: 'Bestätigen',
    passkeyFailed: 'Der Passkey wurde nicht verwendet. Versuchen Sie es erneut.',
    confirmTitle: 'Bestätigen Sie Ihre Identität',
    confirmText:
      'Diese Aktion braucht einen aktuellen Nachweis Ihrer Identität. Eine Bestätigung gilt zehn Minuten.',
    logInAgain: 'Erneut anmelden',
    logInAgainText:
      'Sie haben weder Passwort noch Passkey. Melden Sie sich erneut an und wiederholen Sie die Aktion innerhalb von zehn Minuten.',
  },
})
