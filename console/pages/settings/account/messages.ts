import { defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    intro: 'The name of this account, how its members sign in, its data and its limits.',
    account: 'Account',
    accountId: 'Account ID',
    created: 'Created',
    nameHint: 'Members, invitations and the operator see it.',
    policy: 'Sign-in of members',
    secondFactor: 'Second factor',
    required: 'Required',
    optional: 'Optional',
    requiredText:
      'Each member needs an authenticator app or a passkey. Members without one can only add one. API keys are not affected.',
    optionalText: 'Members decide whether they use an authenticator app or a passkey.',
    require: 'Require a second factor',
    requireTitle: 'Require a second factor?',
    requireText:
      'It applies at once: members without a second factor can only add one until they have it. Members who sign in through an issuer fulfil it there.',
    makeOptional: 'Make it optional',
    makeOptionalTitle: 'Make the second factor optional?',
    makeOptionalText: 'Members can then log in with a password alone, and remove their second factors.',
    needsOwn: 'To require it of all members, you need a second factor yourself.',
    addOwn: 'Add one',
    singleSignOn: 'Single sign-on',
    domain: (domain: string, issuer: string) => `${domain} signs in through ${issuer}`,
    domainsText: 'The operator sets these domains.',
    noDomains: 'No e-mail domain signs in through an issuer. The operator sets them up.',
    data: 'Data',
    exportText:
      'The export has everything that the account stores, as a file with one JSON record per line: members, keys without their secrets, credentials without theirs, transactions, tasks, usage, requests and the audit log. A large account takes some minutes.',
    export: 'Export all data',
    exporting: 'The export is being made. Keep this page open.',
    closeText:
      'To close the account, export its data and then ask the operator. A closed account is deleted after a period.',
    limits: 'Limits',
    limitsText: 'What this account can use. Ask the operator for higher limits.',
    resource: 'Resource',
    limit: 'Limit',
    own: 'Set for this account',
    atOnce: 'at the same time',
    inWindow: (window: string) => `in ${window}`,
  },
  de: {
    intro: 'Der Name dieses Kontos, die Anmeldung seiner Mitglieder, seine Daten und seine Grenzen.',
    account: 'Konto',
    accountId: 'ID des Kontos',
    created: 'Angelegt',
    nameHint: 'Mitglieder, Eingeladene und der Betreiber sehen ihn.',
    policy: 'Anmeldung der Mitglieder',
    secondFactor: 'Zweiter Faktor',
    required: 'Verlangt',
    optional: 'Freiwillig',
    requiredText:
      'Jedes Mitglied braucht eine Authenticator-App oder einen Passkey. Mitglieder ohne beides können nur eines hinzufügen. API-Schlüssel sind nicht betroffen.',
    optionalText:
      'Mitglieder entscheiden selbst, ob sie eine Authenticator-App oder einen Passkey verwenden.',
    require: 'Zweiten Faktor verlangen',
    requireTitle: 'Zweiten Faktor verlangen?',
    requireText:
      'Es gilt sofort: Mitglieder ohne zweiten Faktor können nur einen hinzufügen, bis sie ihn haben. Wer sich über einen Identitätsanbieter anmeldet, erfüllt es dort.',
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
      'Keine E-Mail-Domain meldet sich über einen Identitätsanbieter an. Der Betreiber richtet sie ein.',
    data: 'Daten',
    exportText:
      'Der Export enthält alles, was das Konto speichert, als Datei mit einem JSON-Datensatz je Zeile: Mitglieder, Schlüssel und Zugänge ohne ihre Geheimnisse, Buchungen, Aufgaben, Verbrauch, Anfragen und das Audit-Log. Bei einem großen Konto dauert er einige Minuten.',
    export: 'Alle Daten exportieren',
    exporting: 'Der Export wird erstellt. Lassen Sie diese Seite geöffnet.',
    closeText:
      'Um das Konto zu schließen, exportieren Sie seine Daten und wenden sich dann an den Betreiber. Ein geschlossenes Konto wird nach einer Frist gelöscht.',
    limits: 'Grenzen',
    limitsText: 'Was dieses Konto nutzen kann. Höhere Grenzen setzt der Betreiber.',
    resource: 'Ressource',
    limit: 'Grenze',
    own: 'Für dieses Konto gesetzt',
    atOnce: 'gleichzeitig',
    inWindow: (window: string) => `in ${window}`,
  },
})
