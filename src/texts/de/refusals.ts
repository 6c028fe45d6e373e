import type { RefusalTexts } from '../refusals.js'

export const refusals: RefusalTexts = {
  '"*" means all events: leave out the others': '„*“ bedeutet alle Ereignisse: die anderen weglassen',
  '******** keeps a stored value, but no value is stored: enter one':
    '******** behält einen gespeicherten Wert, aber es ist keiner gespeichert: einen eingeben',
  'Circular reference detected': 'führt im Kreis',
  'OAuth is not configured': 'OAuth ist nicht eingerichtet',
  'S3 storage must be configured for media uploads': 'Für Medien muss ein S3-Speicher eingerichtet sein',
  'a backup is running: replace the file when it has ended':
    'eine Sicherung läuft: die Datei ersetzen, sobald sie beendet ist',
  'a backup is running: try again when it has ended':
    'eine Sicherung läuft: noch einmal versuchen, sobald sie beendet ist',
  'a folder can be set only in the file': 'ein Ordner kann nur in der Konfigurationsdatei gesetzt werden',
  'a folder cannot be moved into itself': 'ein Ordner kann nicht in sich selbst verschoben werden',
  'a running import cannot be deleted: cancel it first':
    'ein laufender Import kann nicht gelöscht werden: zuerst abbrechen',
  'a saved view of this list has this name already':
    'eine gespeicherte Ansicht dieser Liste hat diesen Namen schon',
  'a second factor needs an app_secret': 'ein zweiter Faktor braucht ein app_secret',
  'a system field type cannot be deleted': 'ein Feldtyp des Systems kann nicht gelöscht werden',
  'a system permission cannot be …': 'ein Recht des Systems kann nicht geändert oder gelöscht werden',
  'a system role cannot be …': 'eine Rolle des Systems kann nicht geändert oder gelöscht werden',
  'all URLs that begin with … are in use: choose a different slug':
    'alle Adressen, die mit {1} beginnen, sind vergeben: einen anderen Slug wählen',
  'an RSA key must have … to … bits': 'ein RSA-Schlüssel muss {1} bis {2} Bit haben',
  'an account has at most … passkeys': 'ein Konto hat höchstens {1} Passkeys',
  'an import that is … cannot be cancelled': 'in diesem Zustand kann ein Import nicht abgebrochen werden',
  'an import that is … cannot be started': 'in diesem Zustand kann ein Import nicht gestartet werden',
  'animations cannot be cropped': 'Animationen können nicht zugeschnitten werden',
  'another account signs in with this identity': 'ein anderes Konto meldet sich mit dieser Identität an',
  'another backup is running': 'eine andere Sicherung läuft',
  'another import is running': 'ein anderer Import läuft',
  'another instance has made the backup': 'eine andere Instanz hat die Sicherung angelegt',
  'begin with a new secret': 'mit einem neuen Geheimnis beginnen',
  'belongs to the service itself': 'gehört dem Dienst selbst',
  'bucket_backup and its storage must be configured for backups':
    'für Sicherungen müssen bucket_backup und sein Speicher eingerichtet sein',
  'bucket_backup must be a different bucket from those for media, because browsers can read these':
    'bucket_backup muss ein anderer Bucket sein als die für Medien, denn diese können Browser lesen',
  'can be set only if … is many': 'kann nur gesetzt werden, wenn {1} many ist',
  'can be set only in the file': 'kann nur in der Konfigurationsdatei gesetzt werden',
  'cannot be changed here: the form may contain only a file':
    'kann hier nicht geändert werden: das Formular darf nur eine Datei enthalten',
  'cannot be combined with unique': 'kann nicht zusammen mit unique gesetzt werden',
  'cannot change': 'kann nicht geändert werden',
  'cannot change because values are stored under it':
    'kann nicht geändert werden, weil Werte darunter gespeichert sind',
  'cannot delete folder: contains … child folder(s) and … media item(s)':
    'der Ordner kann nicht gelöscht werden: er enthält {1} Ordner und {2} Dateien',
  'change your own password at /auth/reset with the current one':
    'das eigene Passwort im Profil ändern, mit dem bisherigen',
  'contains characters that cannot be stored': 'enthält Zeichen, die nicht gespeichert werden können',
  'field_type and parent_id cannot change while entries have values of this field':
    'Typ und Datentyp des Feldes können nicht geändert werden, solange Einträge Werte dieses Feldes haben',
  'has more than … values': 'hat mehr als {1} Werte',
  'has no name': 'hat keinen Namen',
  'image frames … exceed maximum …': 'das Bild hat {1} Einzelbilder, erlaubt sind {2}',
  'image height … exceeds maximum …': 'das Bild ist {1} Pixel hoch, erlaubt sind {2}',
  'image pixels … exceed maximum …': 'das Bild hat {1} Pixel, erlaubt sind {2}',
  'image width … exceeds maximum …': 'das Bild ist {1} Pixel breit, erlaubt sind {2}',
  'invalid state: start the sign-in again': 'die Anmeldung ist ungültig: noch einmal beginnen',
  'is an address that webhooks may not reach': 'ist eine Adresse, die Webhooks nicht erreichen dürfen',
  'is an address that webhooks may not reach (webhook_allowed_networks opens private ones)':
    'ist eine Adresse, die Webhooks nicht erreichen dürfen (webhook_allowed_networks öffnet private)',
  'is empty': 'ist leer',
  'is given twice': 'ist zweimal angegeben',
  'is not a key of the type …': 'ist kein Schlüssel vom Typ {1}',
  'is not a public address': 'ist keine öffentliche Adresse',
  'is not base64': 'ist kein Base64',
  'is not valid, or has been used or has expired': 'ist ungültig, schon verwendet oder abgelaufen',
  'is one of the most common passwords': 'ist eines der häufigsten Passwörter',
  'is required': 'ist erforderlich',
  'is set in the configuration file, which the service cannot write':
    'ist in der Konfigurationsdatei gesetzt, die der Dienst nicht schreiben kann',
  'is too complex': 'ist zu kompliziert',
  'is too long to be encrypted': 'ist zu lang, um verschlüsselt zu werden',
  'is …, but its content also matches …': 'ist {1}, aber der Inhalt passt auch zu {2}',
  'it has already ended': 'er ist schon beendet',
  'its datatype is deleted: it cannot be restored':
    'der Datentyp ist gelöscht: Wiederherstellen ist nicht möglich',
  'its name ends in .…, but its content is …': 'der Name endet auf .{1}, aber der Inhalt ist {2}',
  'its name must not have control characters': 'der Name darf keine Steuerzeichen enthalten',
  'its parent entry is deleted: restore that entry first':
    'der Eintrag darüber ist gelöscht: zuerst diesen wiederherstellen',
  'leads back to the same locale': 'führt zur selben Sprache zurück',
  'leads back to the slug itself': 'führt zum selben Slug zurück',
  'leads through too many redirects': 'führt über zu viele Weiterleitungen',
  'looks like the name of a system role': 'sieht wie der Name einer Rolle des Systems aus',
  'make another locale the default instead': 'stattdessen eine andere Sprache zum Standard machen',
  'more than … redirects lead to this route: delete some of them first':
    'mehr als {1} Weiterleitungen führen zu dieser Adresse: zuerst einige löschen',
  'more than … redirects lead to …: change their target instead':
    'mehr als {1} Weiterleitungen führen zu {2}: stattdessen ihr Ziel ändern',
  'must be JSON': 'muss JSON sein',
  'must be Latin-1 text without control characters': 'muss Latin-1-Text ohne Steuerzeichen sein',
  'must be a JSON array of ids': 'muss ein JSON-Array von Kennungen sein',
  'must be a date such as 2026-01-31': 'muss ein Datum wie 2026-01-31 sein',
  'must be a day such as 2026-12-31': 'muss ein Tag wie 2026-12-31 sein',
  'must be a header name': 'muss der Name einer Kopfzeile sein',
  'must be a key type (…) followed by the key': 'muss ein Schlüsseltyp ({1}) und danach der Schlüssel sein',
  'must be a language tag such as de or de-AT': 'muss ein Sprachkürzel wie de oder de-AT sein',
  'must be a new secret, not the mask': 'muss ein neues Geheimnis sein, nicht die Sternchen',
  'must be a new value, not the mask': 'muss ein neuer Wert sein, nicht die Sternchen',
  'must be a number': 'muss eine Zahl sein',
  'must be a path such as /about': 'muss ein Pfad wie /about sein',
  'must be a path such as /about, or an http or https address':
    'muss ein Pfad wie /about oder eine http- oder https-Adresse sein',
  'must be a pattern in the syntax of RE2: …': 'muss ein Muster in der Schreibweise von RE2 sein: {1}',
  'must be a slug such as about-us': 'muss ein Slug wie about-us sein',
  'must be a time such as 2026-01-31T12:00:00Z': 'muss eine Zeit wie 2026-01-31T12:00:00Z sein',
  'must be a time such as 2026-12-31T00:00:00Z': 'muss eine Zeit wie 2026-12-31T00:00:00Z sein',
  'must be a type such as image or image/png': 'muss ein Typ wie image oder image/png sein',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be a whole number from 0 to 100': 'muss eine ganze Zahl von 0 bis 100 sein',
  'must be a whole number from 0 to 1000000': 'muss eine ganze Zahl von 0 bis 1000000 sein',
  'must be after publish_at': 'muss nach der Veröffentlichung liegen',
  'must be an absolute address': 'muss eine vollständige Adresse sein',
  'must be an address': 'muss eine Adresse sein',
  'must be an address such as https://www.example.com/':
    'muss eine Adresse wie https://www.example.com/ sein',
  'must be an e-mail address': 'muss eine E-Mail-Adresse sein',
  'must be an e-mail address of ASCII characters': 'muss eine E-Mail-Adresse aus ASCII-Zeichen sein',
  'must be an https address': 'muss eine https-Adresse sein',
  'must be an https address (webhook_allow_http is false)':
    'muss eine https-Adresse sein (webhook_allow_http ist aus)',
  'must be an id': 'muss eine Kennung sein',
  'must be another user': 'muss ein anderes Konto sein',
  'must be at least …': 'muss mindestens {1} sein',
  'must be at most …': 'darf höchstens {1} sein',
  'must be at most … bytes': 'darf höchstens {1} Bytes haben',
  'must be at most … characters': 'darf höchstens {1} Zeichen haben',
  'must be at most … headers': 'dürfen höchstens {1} Kopfzeilen sein',
  'must be given again when … changes': 'muss neu angegeben werden, wenn sich {1} ändert',
  'must be in the future': 'muss in der Zukunft liegen',
  'must be not after …': 'darf nicht nach {1} liegen',
  'must be not before …': 'darf nicht vor {1} liegen',
  'must be one line without control characters': 'muss eine Zeile ohne Steuerzeichen sein',
  'must be one of …': 'muss eines von diesen sein: {1}',
  'must be one of ……': 'muss eines von diesen sein: {1}{2}',
  'must be one or many': 'muss one oder many sein',
  'must be text': 'muss Text sein',
  'must be the name of a datatype': 'muss der Name eines Datentyps sein',
  'must be true or false': 'muss true oder false sein',
  'must be unique, but entry … has the same value':
    'muss eindeutig sein, aber der Eintrag {1} hat denselben Wert',
  'must be …, because the address of the file stays the same':
    'muss vom Typ {1} sein, weil die Adresse der Datei gleich bleibt',
  'must be …, but … is …': 'muss {1} sein, aber {2} ist {3}',
  'must be …, or a media type such as image/png': 'muss {1} oder ein Medientyp wie image/png sein',
  'must end inside the image, which has …': 'muss innerhalb des Bildes enden, das {1} hat',
  'must have at least 1 character': 'muss mindestens 1 Zeichen haben',
  'must have at least 1 item': 'muss mindestens 1 Element haben',
  'must have at least 8 characters': 'muss mindestens 8 Zeichen haben',
  'must have at least …': 'muss mindestens {1} haben',
  'must have at least … characters': 'muss mindestens {1} Zeichen haben',
  'must have at least … different characters': 'muss mindestens {1} verschiedene Zeichen haben',
  'must have at least … items': 'muss mindestens {1} Elemente haben',
  'must have at most 1 item': 'darf höchstens 1 Element haben',
  'must have at most 128 characters': 'darf höchstens 128 Zeichen haben',
  'must have at most …': 'darf höchstens {1} haben',
  'must have at most … characters': 'darf höchstens {1} Zeichen haben',
  'must have at most … characters to be compared with its pattern':
    'darf höchstens {1} Zeichen haben, um mit dem Muster verglichen zu werden',
  'must have at most … items': 'darf höchstens {1} Elemente haben',
  'must have each value once, and has … twice': 'muss jeden Wert einmal haben und hat {1} zweimal',
  'must have more than whitespace': 'muss mehr als Leerzeichen enthalten',
  'must have no control characters': 'darf keine Steuerzeichen enthalten',
  'must have no control or invisible characters':
    'darf keine Steuerzeichen und keine unsichtbaren Zeichen enthalten',
  'must have no partials and no other delimiters':
    'darf keine Partials und keine anderen Trennzeichen enthalten',
  'must have no section inside another': 'darf keinen Abschnitt in einem anderen enthalten',
  'must have no user and no password': 'darf keinen Benutzer und kein Passwort enthalten',
  'must have no user name and no password': 'darf keinen Benutzernamen und kein Passwort enthalten',
  'must match the pattern …': 'muss dem Muster {1} entsprechen',
  'must name a file': 'muss eine Datei nennen',
  'must name a tag': 'muss ein Schlagwort nennen',
  'must not be before from': 'darf nicht vor dem Anfang liegen',
  'must not be empty': 'darf nicht leer sein',
  'must not be made of the e-mail address, the username or the name':
    'darf nicht aus der E-Mail-Adresse, dem Benutzernamen oder dem Namen bestehen',
  'must not be more than …': 'darf nicht größer sein als {1}',
  'must not begin with …': 'darf nicht mit {1} beginnen',
  'must not contain an empty segment, "." or ".."':
    'darf keinen leeren Abschnitt, kein „.“ und kein „..“ enthalten',
  'must not contain commas or control characters': 'darf keine Kommas und keine Steuerzeichen enthalten',
  'must not contain invisible characters': 'darf keine unsichtbaren Zeichen enthalten',
  'must not contain whitespace or control characters':
    'darf keine Leerzeichen und keine Steuerzeichen enthalten',
  'must not contain whitespace, "\\" or control characters':
    'darf keine Leerzeichen, kein „\\“ und keine Steuerzeichen enthalten',
  'must not contain whitespace, "\\", "?", "#", "%" or control characters':
    'darf keine Leerzeichen, kein „\\“, „?“, „#“, „%“ und keine Steuerzeichen enthalten',
  'must not have "/" or "\\"': 'darf kein „/“ und kein „\\“ enthalten',
  'must not name a header twice': 'darf keine Kopfzeile zweimal nennen',
  'must refer to entries of …, but … belongs to …':
    'muss auf Einträge von {1} verweisen, aber {2} gehört zu {3}',
  'needs an alt text: add one to the image "…"':
    'braucht einen Alternativtext: einen zum Bild „{1}“ schreiben',
  'needs datatypes, routes or own': 'braucht Datentypen, Adressen oder eigene Einträge',
  'no account has the e-mail address …': 'kein Konto hat die E-Mail-Adresse {1}',
  'not found': 'nicht gefunden',
  'not found: …': 'nicht gefunden: {1}',
  'only a page has an address': 'nur eine Seite hat eine Adresse',
  'only an administrator can change it': 'nur Administratoren können das ändern',
  'only an administrator can create a key for another user':
    'nur Administratoren können einen Schlüssel für ein anderes Konto anlegen',
  'only an administrator can download a backup': 'nur Administratoren können eine Sicherung herunterladen',
  'only an administrator can set the limits of a role':
    'nur Administratoren können die Grenzen einer Rolle setzen',
  'only its author can change a comment': 'einen Kommentar kann nur ändern, wer ihn geschrieben hat',
  'only its author can withdraw a request': 'eine Anfrage kann nur zurückziehen, wer sie gestellt hat',
  'only its author or a user with content:admin can delete a comment':
    'einen Kommentar kann nur löschen, wer ihn geschrieben hat oder das Recht content:admin hat',
  'only png, jpg, webp and gif images can be cropped':
    'nur Bilder in png, jpg, webp und gif können zugeschnitten werden',
  'only png, jpg, webp and gif images can be shown':
    'nur Bilder in png, jpg, webp und gif können angezeigt werden',
  'only png, jpg, webp and gif images have variants': 'nur Bilder in png, jpg, webp und gif haben Varianten',
  'passkeys need HTTPS and the domain of client_site or admin_site; without either, http://localhost':
    'Passkeys brauchen HTTPS und die Domain von client_site oder admin_site, ohne beide http://localhost',
  'registration is closed: ask an administrator for an account':
    'die Registrierung ist geschlossen: Konten legen Administratoren an',
  'slug already exists': 'der Slug ist schon vergeben',
  'somebody already requested a review of this page': 'jemand hat schon um eine Prüfung dieser Seite gebeten',
  'somebody else requested a review of this page: wait until that review ends':
    'jemand anders hat um eine Prüfung dieser Seite gebeten: warten, bis sie beendet ist',
  'somebody else saved first: read the record again':
    'jemand anders hat zuerst gespeichert: den Datensatz neu laden',
  'somebody replaced the file in the meantime': 'jemand hat die Datei inzwischen ersetzt',
  'still referenced by users.role': 'Konten haben diese Rolle noch',
  'still referenced by ….locale': 'es gibt noch Texte in dieser Sprache',
  'still referenced by ….translations': 'es gibt noch Übersetzungen in dieser Sprache',
  'still used by content ……; use force=true to delete it anyway': 'wird noch verwendet von {1}{2}',
  'the account could change more of the site than you': 'das Konto dürfte mehr ändern als dieses',
  'the account has no password: a second factor protects the sign-in by password only':
    'das Konto hat kein Passwort: ein zweiter Faktor schützt nur die Anmeldung mit Passwort',
  'the account has no second factor': 'das Konto hat keinen zweiten Faktor',
  'the account with this e-mail address belongs to another identity of the provider':
    'das Konto mit dieser E-Mail-Adresse gehört zu einer anderen Identität des Anbieters',
  'the account with this e-mail address signs in with another provider':
    'das Konto mit dieser E-Mail-Adresse meldet sich über einen anderen Anbieter an',
  'the address of a calendar needs an app_secret': 'die Adresse eines Kalenders braucht ein app_secret',
  'the address redirects too often': 'die Adresse leitet zu oft weiter',
  'the answer is too late, or was used before: start again':
    'die Antwort kommt zu spät oder wurde schon verwendet: neu beginnen',
  'the body is larger than … bytes': 'die Anfrage ist größer als {1} Bytes',
  'the content is being moved, try again': 'der Inhalt wird gerade verschoben: noch einmal versuchen',
  'the datatype does not have this field': 'der Datentyp hat dieses Feld nicht',
  'the default locale cannot be deleted': 'die Standardsprache kann nicht gelöscht werden',
  'the default locale cannot be disabled': 'die Standardsprache kann nicht ausgeschaltet werden',
  'the delivery is …: only a failed one can be sent again':
    'nur eine gescheiterte Zustellung kann noch einmal gesendet werden',
  'the entry exists already: restoring a version brought it back':
    'den Eintrag gibt es schon: eine wiederhergestellte Version hat ihn zurückgebracht',
  'the entry has … comments: delete some': 'der Eintrag hat {1} Kommentare: einige löschen',
  'the entry is a draft: publish it first': 'der Eintrag ist ein Entwurf: zuerst veröffentlichen',
  'the entry is not on a page': 'der Eintrag steht auf keiner Seite',
  'the entry still has child entries': 'der Eintrag hat noch Einträge unter sich',
  'the export has no type …': 'der Export hat keinen Typ {1}',
  'the export has two entries with the name …': 'der Export hat zwei Einträge mit dem Namen {1}',
  'the export has … files, but no storage for media is configured: configure one, or …':
    'der Export hat {1} Dateien, aber es ist kein Speicher für Medien eingerichtet: einen einrichten, oder {2}',
  'the field ….… already exists with the type …, but the import has the type …':
    'das Feld {1}.{2} gibt es schon mit dem Typ {3}, aber der Import hat den Typ {4}',
  'the file is being replaced by somebody else': 'jemand anders ersetzt gerade die Datei',
  'the home page cannot be moved': 'die Startseite kann nicht verschoben werden',
  'the image is damaged or cannot be read': 'das Bild ist beschädigt oder nicht lesbar',
  'the image is too large to be cropped': 'das Bild ist zu groß, um zugeschnitten zu werden',
  'the image is too large to be shown': 'das Bild ist zu groß, um angezeigt zu werden',
  'the image takes too long to render': 'das Bild braucht zu lange, um berechnet zu werden',
  'the last administrator cannot be deleted or get a different role':
    'das letzte Administratorkonto kann nicht gelöscht werden und keine andere Rolle bekommen',
  'the list has … saved views: delete some': 'die Liste hat {1} gespeicherte Ansichten: einige löschen',
  'the locale does not exist': 'die Sprache gibt es nicht',
  'the locale is still the fallback of another locale':
    'die Sprache ist noch die Ersatzsprache einer anderen',
  'the media storage does not respond': 'der Speicher für Medien antwortet nicht',
  'the original is not in the media storage': 'das Original ist nicht im Speicher für Medien',
  'the passkey was not accepted': 'der Passkey wurde nicht angenommen',
  'the permission … is missing': 'das Recht {1} fehlt',
  'the port is not allowed': 'der Port ist nicht erlaubt',
  'the provider did not sign you in': 'der Anbieter hat die Anmeldung nicht bestätigt',
  'the provider returned an invalid e-mail address':
    'der Anbieter hat eine ungültige E-Mail-Adresse geliefert',
  'the query takes too long: add conditions or request fewer results':
    'die Suche dauert zu lange: Bedingungen hinzufügen oder weniger Ergebnisse verlangen',
  'the request is …, not open': 'die Anfrage ist nicht mehr offen',
  'the role admin has no limits': 'die Rolle admin hat keine Grenzen',
  'the role does not exist': 'die Rolle gibt es nicht',
  'the second factor is on': 'der zweite Faktor ist an',
  'the second factor is on: turn it off before you set up another':
    'der zweite Faktor ist an: ausschalten, bevor ein anderer eingerichtet wird',
  'the service was stopped before the backup was complete':
    'der Dienst wurde beendet, bevor die Sicherung vollständig war',
  'the service was updated while it was running: restart it':
    'der Dienst wurde aktualisiert, während er lief: neu starten',
  'the sign-in took too long: enter the password again':
    'die Anmeldung hat zu lange gedauert: das Passwort noch einmal eingeben',
  'the signature of this address is not valid': 'die Signatur dieser Adresse ist ungültig',
  'the site has media, but no storage for media is configured':
    'die Website hat Medien, aber es ist kein Speicher für Medien eingerichtet',
  'the stored snapshot is damaged': 'die gespeicherte Version ist beschädigt',
  'the uploaded file is not on this server any more: upload it again':
    'die hochgeladene Datei ist nicht mehr auf diesem Server: noch einmal hochladen',
  'the webhook is not active, so the deliveries would not be sent':
    'der Webhook ist nicht aktiv, die Zustellungen würden nicht gesendet',
  'the webhook is not active, so the delivery would not be sent':
    'der Webhook ist nicht aktiv, die Zustellung würde nicht gesendet',
  'there are … presets already, which is the maximum': 'es gibt schon {1} Größen, mehr sind nicht möglich',
  'there is a folder … already': 'einen Ordner {1} gibt es schon',
  'there is an account with this e-mail address, and the provider has not verified that it is yours: sign in with your password':
    'es gibt ein Konto mit dieser E-Mail-Adresse, und der Anbieter hat nicht bestätigt, wem sie gehört: mit dem Passwort anmelden',
  'there is no datatype …: …': 'es gibt keinen Datentyp {1}: {2}',
  'there is no event ……': 'es gibt kein Ereignis {1}{2}',
  'there is no member ……': 'es gibt keine Angabe {1}{2}',
  'there is no permission ……': 'es gibt kein Recht {1}{2}',
  'there is no such provider': 'diesen Anbieter gibt es nicht',
  'there is no …': '{1} gibt es nicht',
  'there is nothing to publish': 'es gibt nichts zu veröffentlichen',
  'there is nothing to restore': 'es gibt nichts wiederherzustellen',
  'there is nothing to undo': 'es gibt nichts rückgängig zu machen',
  'this account has more permissions than yours: only an administrator can change it':
    'dieses Konto hat mehr Rechte als das eigene: nur Administratoren können es ändern',
  'this address has expired': 'diese Adresse ist abgelaufen',
  'this address is invalid or was revoked': 'diese Adresse ist ungültig oder widerrufen',
  'this affects … trees, and one request can delete at most …: delete some of them first':
    'das betrifft {1} Bäume, und höchstens {2} können auf einmal gelöscht werden: zuerst einige davon löschen',
  'this backup is not complete': 'diese Sicherung ist nicht vollständig',
  'this entry is not a page': 'dieser Eintrag ist keine Seite',
  'this form has expired: reload the page': 'dieses Formular ist abgelaufen: die Seite neu laden',
  'this instance only reads: send changes and sign-ins to an instance that writes':
    'diese Instanz liest nur: Änderungen und Anmeldungen gehen an eine andere Instanz',
  'this is an account of an administrator: only an administrator can change it':
    'das ist ein Administratorkonto: nur Administratoren können es ändern',
  'this is your only way to sign in: add a passkey or set a password first':
    'das ist die einzige Möglichkeit zur Anmeldung: zuerst einen Passkey anlegen oder ein Passwort setzen',
  'this passkey is unknown here: it may have been removed':
    'dieser Passkey ist hier unbekannt: vielleicht wurde er entfernt',
  'this role has more permissions than yours: only an administrator can change it':
    'diese Rolle hat mehr Rechte als die eigene: nur Administratoren können sie ändern',
  'too many requests, try again later': 'zu viele Anfragen: später noch einmal versuchen',
  'too many sign-ins are open, try again later':
    'zu viele Anmeldungen sind offen: später noch einmal versuchen',
  'turn your own second factor off with your password and a code':
    'den eigenen zweiten Faktor im Profil ausschalten, mit Passwort und Code',
  'unknown type of datatype: …': 'unbekannte Art von Datentyp: {1}',
  'username already exists': 'den Benutzernamen gibt es schon',
  'variables can be used only in the file':
    'Variablen können nur in der Konfigurationsdatei verwendet werden',
  'webhooks are not enabled, so the deliveries would not be sent':
    'Webhooks sind ausgeschaltet, die Zustellungen würden nicht gesendet',
  'webhooks are not enabled, so the delivery would not be sent':
    'Webhooks sind ausgeschaltet, die Zustellung würde nicht gesendet',
  'wrong code': 'falscher Code',
  'wrong current password': 'das bisherige Passwort ist falsch',
  'wrong e-mail or password': 'falsche E-Mail-Adresse oder falsches Passwort',
  'you cannot grant a permission that you do not have': 'ein Recht kann nur geben, wer es selbst hat',
  'you have a calendar address already': 'eine Adresse für den Kalender gibt es schon',
  'you signed in more than 10 minutes ago: sign out, sign in again, and repeat this':
    'die Anmeldung ist länger als 10 Minuten her: abmelden, neu anmelden und wiederholen',
  'your account signs in with another identity of this provider: unlink that first':
    'das Konto meldet sich mit einer anderen Identität dieses Anbieters an: zuerst diese trennen',
  'your role requires a second factor: set one up at /admin/profile/second-factor, or with POST /api/v1/auth/second-factor':
    'die Rolle verlangt einen zweiten Faktor: einen unter /admin/profile/second-factor einrichten',
  'your role requires a second factor: sign in with your passkey':
    'die Rolle verlangt einen zweiten Faktor: mit dem Passkey anmelden',
  '… No entry was imported: make the files available, or ….':
    '{1} Kein Eintrag wurde importiert: die Dateien bereitstellen, oder {2}.',
  '… can be placed only under its parent datatype': '{1} kann nur unter dem übergeordneten Datentyp stehen',
  '… does not accept an array': '{1} nimmt kein Array an',
  '… does not accept an object': '{1} nimmt kein Objekt an',
  '… has a field of its own': '{1} hat ein eigenes Feld',
  '… has more than … values': '{1} hat mehr als {2} Werte',
  '… is not translatable': '{1} ist nicht übersetzbar',
  '… is taken, … is available': '{1} ist vergeben, {2} ist frei',
  '… is under an entry that would be deleted: move it first':
    '{1} steht unter einem Eintrag, der gelöscht würde: zuerst verschieben',
  '… must be JSON': '{1} muss JSON sein',
  '… must be a JSON array of ids': '{1} muss ein JSON-Array von Kennungen sein',
  '… must be a date such as 2026-01-31': '{1} muss ein Datum wie 2026-01-31 sein',
  '… must be a number': '{1} muss eine Zahl sein',
  '… must be a slug such as about-us': '{1} muss ein Slug wie about-us sein',
  '… must be a time such as 2026-01-31T12:00:00Z': '{1} muss eine Zeit wie 2026-01-31T12:00:00Z sein',
  '… must be an address': '{1} muss eine Adresse sein',
  '… must be an e-mail address': '{1} muss eine E-Mail-Adresse sein',
  '… must be an id': '{1} muss eine Kennung sein',
  '… must be the id of a media item': '{1} muss die Kennung einer Mediendatei sein',
  '… must be the id of an existing entry': '{1} muss die Kennung eines Eintrags sein',
  '… must be true or false': '{1} muss true oder false sein',
  '… must have no control or invisible characters':
    '{1} darf keine Steuerzeichen und keine unsichtbaren Zeichen enthalten',
  '… this folder would exceed maximum folder depth of …': 'so lägen Ordner tiefer als {2} Ebenen',
  '… was moved here from another place: move or delete it first':
    '{1} wurde von einer anderen Stelle hierher verschoben: zuerst verschieben oder löschen',
  '… was moved to another tree: move it back first':
    '{1} wurde in einen anderen Baum verschoben: zuerst zurückschieben',
  '… would have more than … tags': '{1} hätte mehr als {2} Schlagwörter',
  'Error exchanging token': 'der Anbieter hat die Anmeldung nicht abgeschlossen',
  'another process has taken over this work': 'ein anderer Prozess hat diese Arbeit übernommen',
  'send the code of your authenticator app, or a recovery code, with the password':
    'mit dem Passwort den Code der Authenticator-App oder einen Wiederherstellungscode senden',
  'too many long queries at once, try again': 'zu viele lange Suchen auf einmal: noch einmal versuchen',
  '….slug already exists': 'den Slug in {1} gibt es schon',
}
