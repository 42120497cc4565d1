import { defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    intro: 'The name of this account, the sign-in of its members, its limits, its data, and how to close it.',
    account: 'Account',
    accountId: 'Account ID',
    created: 'Created',
    nameHint: 'Members, invited people and the operator see it.',
    policy: 'Sign-in of members',
    secondFactor: 'Second factor',
    required: 'Required',
    optional: 'Optional',
    requiredText:
      'Each member needs an authenticator app or a passkey. Members without one can do nothing else until they add one. API keys are not affected.',
    optionalText: 'Members decide whether they use an authenticator app or a passkey.',
    require: 'Require a second factor',
    requireTitle: 'Require a second factor?',
    requireText:
      'This applies at once. Members without a second factor can do nothing else until they add one. Members who sign in through an issuer meet the requirement there.',
    makeOptional: 'Make it optional',
    makeOptionalTitle: 'Make the second factor optional?',
    makeOptionalText: 'Members can then log in with a password alone, and remove their second factors.',
    needsOwn: 'To require it of all members, you need a second factor yourself.',
    addOwn: 'Add one',
    singleSignOn: 'Single sign-on',
    domain: (domain: string, issuer: string) => `${domain} signs in through ${issuer}`,
    domainsText: 'The operator sets these domains.',
    noDomains: 'No e-mail domain signs in through an issuer. Ask the operator to set one up.',
    data: 'Data',
    exportText:
      'The export has everything that the account stores, as a file with one JSON record per line: members, keys and credentials without their secrets, transactions, tasks, usage, requests and the audit log. A large account takes some minutes.',
    export: 'Export all data',
    exporting: 'The export is running. Keep this page open.',
    limits: 'Limits',
    limitsText: 'What this account can use. Ask the operator for higher limits.',
    close: 'Close account',
    closeText:
      'All API keys and sessions of this account stop working at once. Its data are deleted later. Until then, each owner with a confirmed e-mail address can reopen it with a link that we send. Export the data first.',
    creditsRule: 'Credits that are left are not paid out. Ask the operator for a refund.',
    tasksRule:
      'Tasks that a vendor has accepted are finished and charged. The others fail, and what is held for them is released.',
    credits: 'Credits left',
    held: 'Held',
    running: 'Running tasks',
    closeTitle: (name: string) => `Close ${name}?`,
    closed: 'The account is closed',
    closedText:
      'Owners with a confirmed e-mail address get a link that reopens it. The deletion of the data begins on',
    leave: 'Leave the console',
  },
  de: {
    intro:
      'Der Name dieses Kontos, die Anmeldung seiner Mitglieder, seine Grenzen, seine Daten, und wie man es schließt.',
    account: 'Konto',
    accountId: 'ID des Kontos',
    created: 'Angelegt',
    nameHint: 'Mitglieder, Eingeladene und der Betreiber sehen ihn.',
    policy: 'Anmeldung der Mitglieder',
    secondFactor: 'Zweiter Faktor',
    required: 'Verlangt',
    optional: 'Freiwillig',
    requiredText:
      'Jedes Mitglied braucht eine Authenticator-App oder einen Passkey. Mitglieder ohne beides können nichts anderes tun, bis sie eines hinzufügen. API-Schlüssel sind nicht betroffen.',
    optionalText:
      'Mitglieder entscheiden selbst, ob sie eine Authenticator-App oder einen Passkey verwenden.',
    require: 'Zweiten Faktor verlangen',
    requireTitle: 'Zweiten Faktor verlangen?',
    requireText:
      'Das gilt sofort. Mitglieder ohne zweiten Faktor können nichts anderes tun, bis sie einen hinzufügen. Wer sich über einen Identitätsanbieter anmeldet, erfüllt es dort.',
    makeOptional: 'Freiwillig machen',
    makeOptionalTitle: 'Zweiten Faktor freiwillig machen?',
    makeOptionalText:
      'Mitglieder können sich dann allein mit einem Passwort anmelden und ihre zweiten Faktoren entfernen.',
    needsOwn: 'Um ihn von allen Mitgliedern zu verlangen, brauchen Sie selbst einen.',
    addOwn: 'Hinzufügen',
    singleSignOn: 'Single Sign-on',
    domain: (domain: string, issuer: string) => `${domain} meldet sich über ${issuer} an`,
    domainsText: 'Der Betreiber legt diese Domains fest.',
    noDomains:
      'Keine E-Mail-Domain meldet sich über einen Identitätsanbieter an. Der Betreiber kann eine einrichten.',
    data: 'Daten',
    exportText:
      'Der Export enthält alles, was das Konto speichert, als Datei mit einem JSON-Datensatz je Zeile: Mitglieder, Schlüssel und Zugänge ohne ihre Geheimnisse, Buchungen, Aufgaben, Verbrauch, Anfragen und das Audit-Log. Bei einem großen Konto dauert er einige Minuten.',
    export: 'Alle Daten exportieren',
    exporting: 'Der Export läuft. Lassen Sie diese Seite geöffnet.',
    limits: 'Grenzen',
    limitsText: 'Was dieses Konto nutzen kann. Höhere Grenzen setzt der Betreiber.',
    close: 'Konto schließen',
    closeText:
      'Alle API-Schlüssel und Sitzungen dieses Kontos enden sofort. Seine Daten werden später gelöscht. Bis dahin kann jeder Inhaber mit bestätigter E-Mail-Adresse es mit einem Link wieder öffnen, den wir senden. Exportieren Sie die Daten vorher.',
    creditsRule: 'Restliches Guthaben wird nicht ausgezahlt. Eine Erstattung gibt der Betreiber.',
    tasksRule:
      'Aufgaben, die ein Anbieter angenommen hat, werden beendet und berechnet. Die anderen schlagen fehl, und was für sie reserviert ist, wird frei.',
    credits: 'Restliches Guthaben',
    held: 'Reserviert',
    running: 'Laufende Aufgaben',
    closeTitle: (name: string) => `${name} schließen?`,
    closed: 'Das Konto ist geschlossen',
    closedText:
      'Inhaber mit bestätigter E-Mail-Adresse erhalten einen Link, der es wieder öffnet. Die Löschung der Daten beginnt am',
    leave: 'Konsole verlassen',
  },
})
