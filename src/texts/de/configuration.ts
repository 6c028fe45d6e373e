import type { ConfigName } from '../../config-fields.js'

/** The label and the meaning of each setting. */
export const configuration: Readonly<Record<ConfigName, readonly [label: string, meaning: string]>> = {
  environment: [
    'Umgebung',
    'Wo der Dienst läuft. local: ohne HTTPS. development: selbst signiert. staging, production: automatische Zertifikate.',
  ],
  port: ['Port', 'Port für HTTP.'],
  ssl_port: ['HTTPS-Port', 'Port für HTTPS.'],
  ssh_port: ['SSH-Port', 'Port der Terminal-Oberfläche.'],
  ssh_enabled: ['SSH', 'Ob die Terminal-Oberfläche angeboten wird.'],
  ssh_host_key: [
    'SSH-Hostschlüssel',
    'Datei mit dem SSH-Hostschlüssel, angelegt beim ersten Start. Vorgabe: neben der Datenbankdatei.',
  ],
  ssh_idle_timeout: [
    'SSH: Ende bei Untätigkeit',
    'Wie lange eine untätige Sitzung des Terminals offen bleibt.',
  ],
  ssh_max_sessions: ['SSH: Sitzungen höchstens', 'Höchstzahl gleichzeitiger Sitzungen des Terminals.'],
  ssh_guest: [
    'SSH: Gäste',
    'Rolle der Gäste: Wer sich als guest verbindet, liest ohne Passwort, was diese Rolle lesen darf. Leer: keine Gäste.',
  ],
  tls: [
    'TLS',
    'Wie HTTPS außerhalb von local angeboten wird. auto: nach der Umgebung. files: mit eigenem Zertifikat. off: durch einen Proxy.',
  ],
  tls_cert_file: [
    'TLS: Zertifikat',
    'Mit tls: files das Zertifikat und seine Kette in PEM. Vorgabe: fullchain.pem in cert_dir.',
  ],
  tls_key_file: [
    'TLS: Schlüssel',
    'Mit tls: files der private Schlüssel in PEM. Vorgabe: privkey.pem in cert_dir.',
  ],
  cert_dir: ['Ordner der Zertifikate', 'Ordner der Zertifikate. Ein angegebener Ordner muss vorhanden sein.'],
  acme_directory_url: [
    'ACME: Adresse',
    'Adresse der Zertifizierungsstelle (directory). Vorgabe: Let’s Encrypt, für staging oder production.',
  ],
  acme_email: ['ACME: E-Mail', 'Kontakt für die Zertifizierungsstelle.'],
  acme_challenge: [
    'ACME: Prüfung',
    'Wie die Zertifizierungsstelle die Domain prüft: http-01 über Port 80 oder tls-alpn-01 über Port 443.',
  ],
  client_site: ['Domain der Website', 'Hauptdomain, der Anfang vollständiger Adressen in Antworten.'],
  admin_site: ['Domain der Verwaltung', 'Domain dieser Verwaltung.'],
  metrics_port: [
    'Port für Metriken',
    'Port für /metrics ohne Anmeldung, nur auf diesem Rechner, wenn keine Adresse dabei ist. Vorgabe: nur /api/v1/metrics.',
  ],
  workers: [
    'Prozesse',
    'Die Zahl der Prozesse, die auf diesem Rechner antworten. Etwa einer für jeden Kern; jeder hat eigene Zwischenspeicher und Verbindungen.',
  ],
  stop_delay_seconds: [
    'Wartezeit vor dem Ende',
    'Wie lange ein endender Dienst noch antwortet, während /api/v1/health/ready 503 liefert, damit Lastverteiler es bemerken.',
  ],
  trusted_proxies: ['Vertraute Proxys', 'Adressen oder Netze der Proxys, deren X-Forwarded-For gilt.'],
  log_level: ['Protokollstufe', 'Die niedrigste Stufe der Zeilen, die ins Protokoll kommen.'],
  app_secret: [
    'Geheimnis des Dienstes',
    'Schlüssel für Zugangsdaten von Anbietern und Geheimnisse von Webhooks in der Datenbank. Vorgabe: eine Datei vom ersten Start.',
  ],
  db_driver: [
    'Datenbank',
    'Art der Datenbank; mariadb ist ein anderer Name für mysql, und postgresql für postgres.',
  ],
  db_url: [
    'Datenbank: Adresse',
    'Dateipfad für sqlite (Vorgabe ./modula.db); host:port oder eine ganze URL für Server, auch mit mehreren Hosts.',
  ],
  db_name: ['Datenbank: Name', 'Name der Datenbank, falls er nicht in db_url steht.'],
  db_username: ['Datenbank: Benutzer', 'Benutzer der Datenbank, falls er nicht in db_url steht.'],
  db_password: ['Datenbank: Passwort', 'Passwort der Datenbank, falls es nicht in db_url steht.'],
  db_pooler: [
    'Datenbank: Pooler',
    'Ob vor PostgreSQL ein Pooler wie PgBouncer steht, im Modus „transaction“.',
  ],
  db_read_only: [
    'Datenbank: nur lesen',
    'Ob diese Instanz nur liest, aus einer Kopie der Datenbank. Änderungen und Anmeldungen beantwortet sie mit 503.',
  ],
  backup_option: ['Ort der Sicherungen', 'Wo Sicherungen liegen: local in backup_dir, s3 in bucket_backup.'],
  backup_dir: [
    'Ordner der Sicherungen',
    'Ordner lokaler Sicherungen, und vorläufiger Dateien für Sicherungen in einem Bucket.',
  ],
  backup_schedule: ['Automatische Sicherung', 'Wie oft automatisch gesichert wird, etwa 24h. Vorgabe: nie.'],
  backup_retention: [
    'Sicherungen behalten',
    'Die Zahl der Sicherungen, die bleiben; ältere werden nach jeder neuen gelöscht.',
  ],
  cookie_name: ['Cookie: Name', 'Name des Cookies der Sitzung.'],
  cookie_duration: ['Dauer einer Sitzung', 'Wie lange eine Sitzung gilt.'],
  cookie_secure: ['Cookie: nur HTTPS', 'Ob das Cookie nur über HTTPS gesendet wird.'],
  cookie_samesite: ['Cookie: SameSite', 'SameSite des Cookies.'],
  registration_enabled: ['Registrierung', 'Ob jeder ein Konto mit der Rolle viewer anlegen darf.'],
  readers_see_drafts: [
    'Lesende sehen Entwürfe',
    'Ob Benutzer, die Inhalte lesen, aber nicht bearbeiten dürfen, in Listen Entwürfe sehen.',
  ],
  cors_origins: ['CORS: Herkunft', 'Websites, deren Seiten die API im Browser aufrufen dürfen.'],
  cors_methods: ['CORS: Methoden', 'Methoden, die diese Websites verwenden dürfen.'],
  cors_headers: ['CORS: Kopfzeilen', 'Kopfzeilen, die diese Websites senden dürfen.'],
  cors_credentials: ['CORS: Cookie', 'Ob diese Websites das Cookie senden dürfen.'],
  oauth_client_id: ['OAuth: Client-ID', 'Kennung beim Anbieter.'],
  oauth_client_secret: ['OAuth: Client-Geheimnis', 'Geheimnis beim Anbieter.'],
  oauth_scopes: ['OAuth: Berechtigungen', 'Verlangte Berechtigungen (scopes).'],
  oauth_provider_name: ['OAuth: Name des Anbieters', 'Name des Anbieters.'],
  oauth_redirect_url: [
    'OAuth: Rückadresse',
    'Adresse für die Rückkehr: /api/v1/auth/oauth/callback auf diesem Dienst.',
  ],
  oauth_success_redirect: [
    'OAuth: Ziel nach Anmeldung',
    'Wohin der Browser nach einer Anmeldung beim Anbieter geht.',
  ],
  oauth_endpoint: ['OAuth: Adressen', 'Die Adressen authorization, token und userinfo des Anbieters.'],
  oauth_providers: [
    'OAuth: weitere Anbieter',
    'Weitere Anbieter: jeder hat id, name und eigene Felder oauth_*. Siehe docs/security.md.',
  ],
  email_enabled: ['E-Mail', 'Ob E-Mail gesendet wird.'],
  email_provider: ['E-Mail: Art', 'Wie E-Mail gesendet wird. Nur SMTP ist möglich.'],
  email_host: ['E-Mail: Server', 'Server für E-Mail.'],
  email_port: ['E-Mail: Port', 'Port dieses Servers.'],
  email_username: ['E-Mail: Benutzer', 'Benutzer dieses Servers.'],
  email_password: ['E-Mail: Passwort', 'Passwort dieses Servers.'],
  email_tls: ['E-Mail: TLS', 'Ob E-Mail verschlüsselt gesendet wird.'],
  email_from_address: ['E-Mail: Absenderadresse', 'Adresse des Absenders.'],
  email_from_name: ['E-Mail: Absendername', 'Name des Absenders.'],
  email_reply_to: ['E-Mail: Antwortadresse', 'Adresse für Antworten.'],
  password_reset_url: [
    'Adresse für neue Passwörter',
    'Der Link in E-Mails für ein neues Passwort: diese Adresse mit ?token=.',
  ],
  preview_url: [
    'Adresse der Vorschau',
    'Die Seite des Frontends, zu der Vorschaulinks führen, mit ?preview=. Vorgabe: eine einfache Seite des Dienstes.',
  ],
  output_format: ['Ausgabeformat', 'Format der Seiten, wenn die Anfrage keines nennt.'],
  compat: [
    'APIs anderer Systeme',
    'Namen von Datentypen und Feldern unter /compat, wenn sie anders sind, als slugline compat zeigt.',
  ],
  publish_mode: [
    'Veröffentlichung',
    'live: Änderungen an veröffentlichten Inhalten sind sofort öffentlich. staged: erst nach dem nächsten Veröffentlichen.',
  ],
  redirect_mode: [
    'Weiterleitungen',
    'Ob alte Adressen weiterleiten. automatic: Ein geänderter Slug hinterlässt eine Weiterleitung. manual: nur angelegte Weiterleitungen. off: keine.',
  ],
  sitemap_enabled: [
    'Sitemap',
    'Ob /sitemap.xml und /api/v1/routes/published die veröffentlichten Seiten öffentlich auflisten.',
  ],
  robots_enabled: ['robots.txt', 'Ob /robots.txt angeboten wird.'],
  robots_txt: [
    'Text von robots.txt',
    'Der Text von /robots.txt. Vorgabe: Nur production darf in Suchmaschinen, mit der Sitemap.',
  ],
  llms_txt_enabled: [
    'llms.txt',
    'Ob /llms.txt die veröffentlichten Seiten für Sprachmodelle auflistet. Es braucht sitemap_enabled.',
  ],
  site_name: ['Name der Website', 'Name der Website in /llms.txt. Vorgabe: ihre Domain.'],
  site_summary: [
    'Beschreibung der Website',
    'Wovon die Website handelt, in /llms.txt. Vorgabe: die Beschreibung ihrer ersten Seite.',
  ],
  version_max_per_content: ['Versionen je Eintrag', 'Versionen, die je Eintrag und Sprache bleiben.'],
  trash_retention: [
    'Aufbewahrung im Papierkorb',
    'Wie lange gelöschte Inhalte wiederhergestellt werden können. Mit 0s werden sie sofort endgültig gelöscht.',
  ],
  event_streams_max: [
    'Änderungsströme höchstens',
    'Höchstzahl der Änderungsströme, die ein Prozess gleichzeitig bedient.',
  ],
  page_cache_bytes: ['Zwischenspeicher', 'Speicher für fertige Seiten und andere Antworten, in Bytes.'],
  i18n_enabled: ['Übersetzung', 'Ob Felder übersetzt werden können.'],
  i18n_default_locale: [
    'Standardsprache',
    'Die Standardsprache, die der erste Start anlegt. Später wird sie unter /locales geändert.',
  ],
  webhook_enabled: ['Webhooks', 'Ob Ereignisse zugestellt werden.'],
  webhook_allow_http: ['Webhooks: HTTP', 'Ob Adressen von Webhooks HTTP ohne TLS sein dürfen.'],
  webhook_allowed_networks: [
    'Webhooks: private Netze',
    'Private Netze (CIDR), die Webhooks erreichen dürfen.',
  ],
  webhook_timeout: ['Webhooks: Zeitgrenze', 'Sekunden für eine Zustellung.'],
  webhook_max_retries: ['Webhooks: Versuche', 'Versuche, bis eine Zustellung fehlschlägt.'],
  webhook_workers: ['Webhooks: gleichzeitig', 'Gleichzeitige Zustellungen.'],
  webhook_delivery_retention_days: [
    'Webhooks: Aufbewahrung',
    'Tage, die abgeschlossene Zustellungen bleiben.',
  ],
  webhook_retry_delays: ['Webhooks: Wartezeiten', 'Die Wartezeit vor jedem weiteren Versuch.'],
  webhook_scan_interval: ['Webhooks: Abstand der Suche', 'Wie oft der Dienst nach fälligen Versuchen sieht.'],
  max_upload_size: ['Größe von Uploads', 'Höchste Größe eines Uploads in Bytes.'],
  media_formats: [
    'Bildformate',
    'Formate der Bildvarianten neben dem eigenen Format des Bildes. Gilt für spätere Uploads; `slugline media regenerate` erneuert die anderen.',
  ],
  bucket_media: ['Bucket der Medien', 'Bucket der Medien.'],
  bucket_endpoint: [
    'Speicher: Adresse',
    'Adresse des Speichers für den Dienst, oder ein Ordner dieses Rechners wie file:./media.',
  ],
  bucket_region: ['Speicher: Region', 'Region des Speichers.'],
  bucket_access_key: ['Speicher: Zugangsschlüssel', 'Zugangsschlüssel des Speichers.'],
  bucket_secret_key: ['Speicher: Geheimnis', 'Geheimer Schlüssel des Speichers.'],
  bucket_force_path_style: [
    'Speicher: Bucket im Pfad',
    'Ob Adressen des Speichers den Bucket im Pfad haben (Adresse/Bucket/Schlüssel).',
  ],
  bucket_public_url: ['Speicher: Adresse für Browser', 'Adresse des Speichers für Browser.'],
  bucket_media_prefix: ['Speicher: Präfix', 'Anfang der Namen von Medien im Bucket.'],
  bucket_backup: ['Bucket der Sicherungen', 'Bucket der Sicherungen.'],
  bucket_admin_media: ['Bucket der Admin-Medien', 'Bucket der Admin-Medien.'],
  bucket_admin_endpoint: ['Admin-Medien: Adresse', 'Adresse des Speichers der Admin-Medien.'],
  bucket_admin_access_key: [
    'Admin-Medien: Zugangsschlüssel',
    'Zugangsschlüssel des Speichers der Admin-Medien.',
  ],
  bucket_admin_secret_key: ['Admin-Medien: Geheimnis', 'Geheimer Schlüssel des Speichers der Admin-Medien.'],
  bucket_admin_public_url: [
    'Admin-Medien: Adresse für Browser',
    'Adresse des Speichers der Admin-Medien für Browser.',
  ],
}
