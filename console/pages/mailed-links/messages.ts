import type { Faults } from '../../graph/faults.ts'
import { defineMessages } from '../../text/language.ts'

export const messages = defineMessages({
  en: {
    noToken: 'The link is incomplete. Open it from the e-mail again.',
    refused: 'This link is invalid, was used, or has expired. Request another e-mail.',
    requestAgain: 'Get another link',
    toLogIn: 'To the log-in',
    logOut: 'Log out',
    toConsole: 'Go to the console',
    logIn: 'Log in',
    confirmTitle: 'Confirm your e-mail address',
    confirmedTitle: 'Address confirmed',
    confirmText: 'Confirm that the address to which we sent the e-mail is yours.',
    confirm: 'Confirm',
    confirmed: (email: string) => `Your address ${email} is confirmed.`,
    resetTitle: 'Set a new password',
    resetDoneTitle: 'Password changed',
    resetText: 'The new password ends all of your sessions.',
    revokeKeys: 'Revoke all API keys, because someone else may have had my password',
    setPassword: 'Set password',
    reset: 'Your password is changed, and all sessions have ended.',
    acceptTitle: 'Accept your invitation',
    acceptedTitle: 'Invitation accepted',
    acceptText: 'You become a member of the account that invites you.',
    accept: 'Accept',
    choosePassword: 'Choose a password, with which you log in from now on.',
    accepted: (account: string) => `You are a member of ${account}.`,
    open: (account: string) => `Open ${account}`,
    wrongUser:
      'Another user requested this link. Log out, log in as that user, and open the link from the e-mail again.',
    changeTitle: 'Change your e-mail address',
    changedTitle: 'Address changed',
    changeText:
      'From now on, you log in with the address to which we sent the e-mail. Your other sessions end.',
    change: 'Change e-mail address',
    changed: (email: string, sessions: string) =>
      `Your address is now ${email}. Ended sessions: ${sessions}.`,
    reopenTitle: 'Reopen your account',
    reopenedTitle: 'Account reopened',
    reopenText: 'Its API keys and sessions work again at once, and its data are kept.',
    reopen: 'Reopen account',
    reopened: (account: string) => `${account} is open again.`,
  },
  de: {
    noToken: 'Der Link ist unvollständig. Öffnen Sie ihn noch einmal aus der E-Mail.',
    refused:
      'Dieser Link ist ungültig, wurde schon verwendet oder ist abgelaufen. Fordern Sie eine neue E-Mail an.',
    requestAgain: 'Neuen Link anfordern',
    toLogIn: 'Zur Anmeldung',
    logOut: 'Abmelden',
    toConsole: 'Zur Konsole',
    logIn: 'Anmelden',
    confirmTitle: 'E-Mail-Adresse bestätigen',
    confirmedTitle: 'Adresse bestätigt',
    confirmText: 'Bestätigen Sie, dass die Adresse, an die wir die E-Mail gesendet haben, Ihre ist.',
    confirm: 'Bestätigen',
    confirmed: (email: string) => `Ihre Adresse ${email} ist bestätigt.`,
    resetTitle: 'Neues Passwort setzen',
    resetDoneTitle: 'Passwort geändert',
    resetText: 'Das neue Passwort beendet alle Ihre Sitzungen.',
    revokeKeys: 'Alle API-Schlüssel widerrufen, weil jemand mein Passwort gehabt haben könnte',
    setPassword: 'Passwort setzen',
    reset: 'Ihr Passwort ist geändert, und alle Sitzungen sind beendet.',
    acceptTitle: 'Einladung annehmen',
    acceptedTitle: 'Einladung angenommen',
    acceptText: 'Sie werden Mitglied des Kontos, das Sie einlädt.',
    accept: 'Annehmen',
    choosePassword: 'Wählen Sie ein Passwort, mit dem Sie sich künftig anmelden.',
    accepted: (account: string) => `Sie sind Mitglied von ${account}.`,
    open: (account: string) => `${account} öffnen`,
    wrongUser:
      'Ein anderer Benutzer hat diesen Link angefordert. Melden Sie sich ab und als dieser Benutzer an, und öffnen Sie den Link noch einmal aus der E-Mail.',
    changeTitle: 'E-Mail-Adresse ändern',
    changedTitle: 'Adresse geändert',
    changeText:
      'Von jetzt an melden Sie sich mit der Adresse an, an die wir die E-Mail gesendet haben. Ihre anderen Sitzungen enden.',
    change: 'E-Mail-Adresse ändern',
    changed: (email: string, sessions: string) =>
      `Ihre Adresse ist jetzt ${email}. Beendete Sitzungen: ${sessions}.`,
    reopenTitle: 'Konto wieder öffnen',
    reopenedTitle: 'Konto wieder geöffnet',
    reopenText: 'Seine API-Schlüssel und Sitzungen gelten sofort wieder, und seine Daten bleiben erhalten.',
    reopen: 'Konto öffnen',
    reopened: (account: string) => `${account} ist wieder geöffnet.`,
  },
})

/** Returns the faults with a text for a link that the service refused: its token is no field of the page. */
export function linkFaultsOf(
  faults: Faults | undefined,
  text: { refused: string; wrongUser: string },
): Faults | undefined {
  if (faults?.problems.includes('wrong_user')) return { ...faults, general: text.wrongUser }
  if (!faults?.problems.includes('link_refused')) return faults
  return { ...faults, fields: new Map(), general: text.refused }
}
