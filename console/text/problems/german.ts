import { germanMessages, nothingCharged } from './german-messages.ts'
import type { ProblemTexts } from './text-in.ts'

/** The errors that readers of a page can meet. */
export const german: ProblemTexts = {
  byName: new Map([
    [
      'link_refused',
      'Der Link ist ungültig, abgelaufen oder schon verwendet. Fordern Sie eine neue E-Mail an.',
    ],
    [
      'challenge_refused',
      'Die Bestätigung ist abgelaufen oder wurde schon verwendet. Beginnen Sie noch einmal.',
    ],
    ['passkey_refused', 'Der Passkey passt nicht zu dieser Anfrage, oder er ist schon gespeichert.'],
    ['sign_in_expired', 'Die Anmeldung ist abgelaufen, wurde schon verwendet oder begann woanders.'],
    ['context_length_exceeded', 'Die Eingabe ist länger, als das Modell erlaubt.'],
    ['content_policy', 'Der Anbieter hat den Inhalt der Anfrage abgelehnt.'],
    ['no_access', 'Sie haben keinen Zugriff.'],
    ['unauthenticated', 'Die Anmeldung fehlt oder ist ungültig.'],
    ['token_expired', 'Die Sitzung ist abgelaufen oder wurde beendet.'],
    ['wrong_credentials', 'Die E-Mail-Adresse oder das Passwort ist falsch.'],
    ['insufficient_credits', 'Das Guthaben reicht nicht: Der Preis ist höher als der verfügbare Betrag.'],
    [
      'credit_limit_reached',
      'Der Schlüssel hat seine Ausgabengrenze für diesen Zeitraum erreicht, laufende Anfragen eingerechnet.',
    ],
    [
      'budget_limit_reached',
      'Ein Budget des Kontos ist für diesen Zeitraum ausgeschöpft, laufende Anfragen eingerechnet.',
    ],
    [
      'wrong_address',
      'Sie haben die E-Mail-Adresse der Einladung nicht bestätigt. Melden Sie sich mit dieser Adresse an, oder melden Sie sich ab, um die Einladung anzunehmen.',
    ],
    [
      'wrong_user',
      'Ein anderer Benutzer hat diesen Link angefordert. Melden Sie sich als dieser Benutzer an.',
    ],
    [
      'no_membership',
      'Sie sind in keinem Konto Mitglied. Bitten Sie den Inhaber eines Kontos um eine Einladung.',
    ],
    ['account_suspended', 'Das Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.'],
    [
      'account_closed',
      'Das Konto ist geschlossen. Hat ein Inhaber es geschlossen, haben die Inhaber eine E-Mail mit einem Link, der es wieder öffnet. Sonst wenden Sie sich an den Betreiber.',
    ],
    ['key_disabled', 'Der Schlüssel des Playgrounds ist deaktiviert.'],
    ['playground_revoked', 'Der Schlüssel des Playgrounds wurde widerrufen.'],
    [
      'byok_disabled',
      'Der einzige eigene Zugang des Kontos für diesen Anbieter soll immer benutzt werden und ist deaktiviert. Aktivieren Sie ihn, oder erlauben Sie den Zugang der Plattform.',
    ],
    ['wrong_password', 'Das aktuelle Passwort ist falsch.'],
    [
      'password_not_set',
      'Sie haben kein Passwort. Melden Sie sich neu über Ihren Identitätsanbieter an, oder bestätigen Sie mit einem Passkey.',
    ],
    [
      'wrong_second_factor',
      'Der Code, der Wiederherstellungscode oder der Passkey wurde nicht angenommen. Ein Code gilt einmal, und nur etwa eine Minute.',
    ],
    [
      'second_factor_required',
      'Das Konto verlangt einen zweiten Faktor, und Sie haben keinen. Fügen Sie in den Einstellungen unter „Anmeldung“ einen hinzu.',
    ],
    ['confirmation_required', 'Bestätigen Sie, dass Sie es sind, und versuchen Sie es noch einmal.'],
    ['passkeys_unavailable', 'Passkeys sind hier nicht möglich: Sie brauchen einen Domainnamen.'],
    [
      'email_not_confirmed',
      'Ihre E-Mail-Adresse ist nicht bestätigt. Öffnen Sie den Link in der E-Mail, oder lassen Sie sie oben auf der Seite noch einmal senden.',
    ],
    ['mail_not_configured', 'Der Dienst kann keine E-Mails senden. Wenden Sie sich an den Betreiber.'],
    ['top_up_closed', 'Kartenzahlungen sind nicht eingerichtet. Bitten Sie den Betreiber um Guthaben.'],
    [
      'billing_portal_closed',
      'Rechnungsdaten lassen sich hier nicht ändern. Wenden Sie sich an den Betreiber.',
    ],
    [
      'identity_not_linked',
      'Es gibt einen Benutzer mit dieser Adresse. Melden Sie sich an, um die Anmeldung zu verknüpfen.',
    ],
    ['sign_up_closed', 'Neue Konten sind nicht erlaubt. Bitten Sie den Betreiber um ein Konto.'],
    ['account_not_found', 'Sie sind in diesem Konto nicht Mitglied.'],
    ['member_not_found', 'Das Konto hat dieses Mitglied nicht mehr.'],
    ['invitation_not_found', 'Das Konto hat diese Einladung nicht mehr.'],
    ['key_not_found', 'Das Konto hat diesen API-Schlüssel nicht.'],
    ['credential_not_found', 'Das Konto hat diesen Zugang nicht mehr.'],
    ['alert_not_found', 'Das Konto hat diese Warnung nicht mehr.'],
    ['budget_not_found', 'Das Konto hat dieses Budget nicht mehr.'],
    ['issuer_not_found', 'Diesen Identitätsanbieter gibt es nicht.'],
    ['identity_not_found', 'Sie haben diese Verknüpfung nicht mehr.'],
    ['model_not_found', 'Das Modell gibt es nicht, oder es ist nicht aktiv.'],
    [
      'model_unavailable',
      'Der Dienst hat keinen Zugang zum Anbieter dieses Modells. Fügen Sie einen eigenen hinzu, oder wählen Sie ein anderes Modell.',
    ],
    ['model_not_allowed', 'Der Schlüssel des Playgrounds erlaubt dieses Modell nicht.'],
    ['media_not_found', 'Die Datei gibt es nicht.'],
    ['media_expired', 'Die Datei ist abgelaufen und wurde gelöscht.'],
    ['task_not_found', 'Das Konto hat diese Aufgabe nicht.'],
    [
      'last_owner',
      'Das ist der einzige Inhaber des Kontos. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
    ],
    ['identity_taken', 'Diese Anmeldung ist mit einem anderen Benutzer verknüpft.'],
    ['last_sign_in', 'Das ist Ihre einzige Möglichkeit, sich anzumelden.'],
    [
      'task_not_cancellable',
      'Die Aufgabe lässt sich nicht abbrechen: Sie ist beendet, oder der Anbieter kann sie nicht mehr abbrechen.',
    ],
    ['body_too_large', 'Die Anfrage ist größer als erlaubt.'],
    ['unsupported_parameter', 'Das Modell unterstützt diesen Parameter nicht.'],
    [
      'tokens_exceed_rate_limit',
      'Die Anfrage braucht mehr Tokens, als eine Grenze des Schlüssels je Zeitraum erlaubt.',
    ],
    ['key_expired', 'Der API-Schlüssel ist abgelaufen.'],
    ['sign_in_refused', 'Der Identitätsanbieter hat die Anmeldung nicht bestätigt.'],
    ['request_timeout', 'Die Anfrage kam nicht rechtzeitig an.'],
    [
      'idempotency_conflict',
      'Eine andere Anfrage mit derselben Kennung wurde schon gesendet. Laden Sie die Seite neu.',
    ],
    ['task_pending', 'Die Aufgabe dauert länger, als eine Anfrage wartet. Sie läuft weiter.'],
    ['rate_limit_exceeded', 'Die Grenze für Anfragen ist erreicht.'],
    ['allowance_exceeded', 'Ein Kontingent des Kontos ist aufgebraucht.'],
    ['too_many_tries', 'Zu viele Versuche. Warten Sie vor dem nächsten.'],
    ['internal', `Im Dienst ist ein Fehler aufgetreten. ${nothingCharged}`],
    ['upstream_auth', `Der Anbieter hat den Zugang abgelehnt. ${nothingCharged}`],
    ['control_unavailable', 'Die Verwaltung des Dienstes antwortet nicht. Versuchen Sie es später.'],
    ['issuer_unavailable', 'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später.'],
    ['upstream_busy', `Der Anbieter ist überlastet. ${nothingCharged} Versuchen Sie es später.`],
    ['upstream_timeout', `Der Anbieter hat nicht rechtzeitig geantwortet. ${nothingCharged}`],
    [
      'media_not_stored',
      'Der Dienst speichert keine Dateien. Geben Sie stattdessen eine öffentliche HTTPS-Adresse an.',
    ],
    [
      'settlement_unknown',
      'Die Datenbank hat die Buchung nicht rechtzeitig bestätigt. Wurde keine Antwort geliefert, wird ein berechneter Betrag erstattet.',
    ],
  ]),
  byMessage: germanMessages,
  retryAfter: seconds =>
    `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
}
