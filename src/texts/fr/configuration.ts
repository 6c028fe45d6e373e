import type { ConfigName } from '../../config-fields.js'

/** The label and the meaning of each setting. */
export const configuration: Readonly<Record<ConfigName, readonly [label: string, meaning: string]>> = {
  environment: [
    'Environnement',
    'Où le service fonctionne. local : sans HTTPS. development : auto-signé. staging, production : certificats automatiques.',
  ],
  port: ['Port', 'Port pour HTTP.'],
  ssl_port: ['Port HTTPS', 'Port pour HTTPS.'],
  ssh_port: ['Port SSH', 'Port de l’interface du terminal.'],
  ssh_enabled: ['SSH', 'Si l’interface du terminal est proposée.'],
  ssh_host_key: [
    'Clé d’hôte SSH',
    'Fichier de la clé d’hôte SSH, créé au premier démarrage. Par défaut : à côté du fichier de la base.',
  ],
  ssh_idle_timeout: ['SSH : inactivité', 'Combien de temps une session inactive du terminal reste ouverte.'],
  ssh_max_sessions: ['SSH : sessions au plus', 'Nombre maximal de sessions du terminal à la fois.'],
  ssh_guest: [
    'SSH : invités',
    'Rôle des invités : quiconque se connecte comme guest lit sans mot de passe ce que ce rôle peut lire. Vide : pas d’invités.',
  ],
  tls: [
    'TLS',
    'Comment HTTPS est proposé hors de local. auto : selon l’environnement. files : avec votre certificat. off : par un proxy.',
  ],
  tls_cert_file: [
    'TLS : certificat',
    'Avec tls : files, le certificat et sa chaîne en PEM. Par défaut : fullchain.pem dans cert_dir.',
  ],
  tls_key_file: [
    'TLS : clé',
    'Avec tls : files, la clé privée en PEM. Par défaut : privkey.pem dans cert_dir.',
  ],
  cert_dir: ['Dossier des certificats', 'Dossier des certificats. S’il est indiqué, il doit exister.'],
  acme_directory_url: [
    'ACME : adresse',
    'Adresse de l’autorité de certification (directory). Par défaut : Let’s Encrypt, pour staging ou production.',
  ],
  acme_email: ['ACME : e-mail', 'Contact pour l’autorité de certification.'],
  acme_challenge: [
    'ACME : vérification',
    'Comment l’autorité vérifie le domaine : http-01 sur le port 80, ou tls-alpn-01 sur le port 443.',
  ],
  client_site: ['Domaine du site', 'Domaine principal, le début des adresses complètes dans les réponses.'],
  admin_site: ['Domaine de l’administration', 'Domaine de cette administration.'],
  metrics_port: [
    'Port des métriques',
    'Port de /metrics sans connexion, sur cette machine seulement s’il n’a pas d’adresse. Par défaut : seulement /api/v1/metrics.',
  ],
  workers: [
    'Processus',
    'Le nombre de processus qui répondent sur cette machine. Environ un par cœur ; chacun a ses caches et ses connexions.',
  ],
  stop_delay_seconds: [
    'Délai avant l’arrêt',
    'Combien de temps un service qui s’arrête répond encore, avec 503 pour /api/v1/health/ready, afin que les répartiteurs le voient.',
  ],
  trusted_proxies: [
    'Proxys de confiance',
    'Adresses ou réseaux des proxys dont X-Forwarded-For est pris en compte.',
  ],
  log_level: ['Niveau du journal', 'Le niveau le plus bas des lignes écrites au journal.'],
  app_secret: [
    'Secret du service',
    'Clé qui chiffre les accès des fournisseurs et les secrets des webhooks dans la base. Par défaut : un fichier du premier démarrage.',
  ],
  db_driver: [
    'Base de données',
    'Type de base ; mariadb est un autre nom de mysql, et postgresql de postgres.',
  ],
  db_url: [
    'Base : adresse',
    'Chemin du fichier pour sqlite (par défaut ./modula.db) ; host:port ou une URL complète pour les serveurs, avec plusieurs hôtes au besoin.',
  ],
  db_name: ['Base : nom', 'Nom de la base, si db_url ne le contient pas.'],
  db_username: ['Base : utilisateur', 'Utilisateur de la base, si db_url ne le contient pas.'],
  db_password: ['Base : mot de passe', 'Mot de passe de la base, si db_url ne le contient pas.'],
  db_pooler: [
    'Base : pooler',
    'Si un pooler tel que PgBouncer est devant PostgreSQL, en mode « transaction ».',
  ],
  db_read_only: [
    'Base : lecture seule',
    'Si cette instance lit seulement, depuis une copie de la base. Elle répond 503 aux changements et aux connexions.',
  ],
  backup_option: [
    'Lieu des sauvegardes',
    'Où sont les sauvegardes : local dans backup_dir, s3 dans bucket_backup.',
  ],
  backup_dir: [
    'Dossier des sauvegardes',
    'Dossier des sauvegardes locales, et des fichiers temporaires de celles d’un bucket.',
  ],
  backup_schedule: [
    'Sauvegarde automatique',
    'À quelle fréquence une sauvegarde est faite, par exemple 24h. Par défaut : jamais.',
  ],
  backup_retention: [
    'Sauvegardes gardées',
    'Le nombre de sauvegardes gardées ; les plus anciennes sont supprimées après chaque nouvelle.',
  ],
  cookie_name: ['Cookie : nom', 'Nom du cookie de session.'],
  cookie_duration: ['Durée d’une session', 'Combien de temps une session est valable.'],
  cookie_secure: ['Cookie : HTTPS seulement', 'Si le cookie n’est envoyé que par HTTPS.'],
  cookie_samesite: ['Cookie : SameSite', 'SameSite du cookie.'],
  registration_enabled: ['Inscription', 'Si chacun peut créer un compte avec le rôle viewer.'],
  readers_see_drafts: [
    'Les lecteurs voient les brouillons',
    'Si ceux qui lisent sans modifier voient les brouillons dans les listes.',
  ],
  cors_origins: ['CORS : origines', 'Sites dont les pages peuvent appeler l’API depuis un navigateur.'],
  cors_methods: ['CORS : méthodes', 'Méthodes permises à ces sites.'],
  cors_headers: ['CORS : en-têtes', 'En-têtes permis à ces sites.'],
  cors_credentials: ['CORS : cookie', 'Si ces sites peuvent envoyer le cookie.'],
  oauth_client_id: ['OAuth : identifiant', 'Identifiant auprès du fournisseur.'],
  oauth_client_secret: ['OAuth : secret', 'Secret auprès du fournisseur.'],
  oauth_scopes: ['OAuth : autorisations', 'Autorisations demandées (scopes).'],
  oauth_provider_name: ['OAuth : nom du fournisseur', 'Nom du fournisseur.'],
  oauth_redirect_url: [
    'OAuth : adresse de retour',
    'Adresse de retour : /api/v1/auth/oauth/callback sur ce service.',
  ],
  oauth_success_redirect: [
    'OAuth : après la connexion',
    'Où va le navigateur après une connexion chez le fournisseur.',
  ],
  oauth_endpoint: ['OAuth : adresses', 'Les adresses authorization, token et userinfo du fournisseur.'],
  oauth_providers: [
    'OAuth : autres fournisseurs',
    'D’autres fournisseurs : chacun a id, name et ses propres champs oauth_*. Voir docs/security.md.',
  ],
  email_enabled: ['E-mail', 'Si des e-mails sont envoyés.'],
  email_provider: ['E-mail : type', 'Comment les e-mails sont envoyés. Seul SMTP est possible.'],
  email_host: ['E-mail : serveur', 'Serveur d’e-mail.'],
  email_port: ['E-mail : port', 'Port de ce serveur.'],
  email_username: ['E-mail : utilisateur', 'Utilisateur de ce serveur.'],
  email_password: ['E-mail : mot de passe', 'Mot de passe de ce serveur.'],
  email_tls: ['E-mail : TLS', 'Si les e-mails sont envoyés chiffrés.'],
  email_from_address: ['E-mail : adresse d’expéditeur', 'Adresse de l’expéditeur.'],
  email_from_name: ['E-mail : nom d’expéditeur', 'Nom de l’expéditeur.'],
  email_reply_to: ['E-mail : adresse de réponse', 'Adresse pour les réponses.'],
  password_reset_url: [
    'Adresse des nouveaux mots de passe',
    'Le lien des e-mails pour un nouveau mot de passe : cette adresse avec ?token=.',
  ],
  preview_url: [
    'Adresse de l’aperçu',
    'La page du site où mènent les liens d’aperçu, avec ?preview=. Par défaut : une page simple du service.',
  ],
  output_format: ['Format de sortie', 'Format des pages si la requête n’en nomme aucun.'],
  compat: [
    'API d’autres systèmes',
    'Noms des types et des champs sous /compat, s’ils diffèrent de ceux que slugline compat montre.',
  ],
  publish_mode: [
    'Publication',
    'live : les changements d’un contenu publié sont publics aussitôt. staged : seulement après la publication suivante.',
  ],
  redirect_mode: [
    'Redirections',
    'Si les anciennes adresses redirigent. automatic : un slug changé laisse une redirection. manual : seulement celles que vous créez. off : aucune.',
  ],
  sitemap_enabled: [
    'Plan du site',
    'Si /sitemap.xml et /api/v1/routes/published listent publiquement les pages publiées.',
  ],
  robots_enabled: ['robots.txt', 'Si /robots.txt est proposé.'],
  robots_txt: [
    'Texte de robots.txt',
    'Le texte de /robots.txt. Par défaut : seul production peut être indexé, avec le plan du site.',
  ],
  llms_txt_enabled: [
    'llms.txt',
    'Si /llms.txt liste les pages publiées pour les modèles de langage. Il faut sitemap_enabled.',
  ],
  site_name: ['Nom du site', 'Nom du site dans /llms.txt. Par défaut : son domaine.'],
  site_summary: [
    'Description du site',
    'Le sujet du site, dans /llms.txt. Par défaut : la description de sa première page.',
  ],
  version_max_per_content: ['Versions par entrée', 'Versions gardées pour chaque entrée et langue.'],
  trash_retention: [
    'Conservation dans la corbeille',
    'Combien de temps un contenu supprimé peut être restauré. Avec 0s, il est supprimé aussitôt et pour toujours.',
  ],
  event_streams_max: [
    'Flux de changements au plus',
    'Nombre maximal de flux de changements qu’un processus sert à la fois.',
  ],
  page_cache_bytes: ['Cache', 'Mémoire pour les pages et autres réponses prêtes, en octets.'],
  i18n_enabled: ['Traduction', 'Si les champs peuvent être traduits.'],
  i18n_default_locale: [
    'Langue par défaut',
    'La langue par défaut que crée le premier démarrage. On la change ensuite sous /locales.',
  ],
  webhook_enabled: ['Webhooks', 'Si les événements sont envoyés.'],
  webhook_allow_http: ['Webhooks : HTTP', 'Si les adresses des webhooks peuvent être en HTTP sans TLS.'],
  webhook_allowed_networks: [
    'Webhooks : réseaux privés',
    'Réseaux privés (CIDR) que les webhooks peuvent atteindre.',
  ],
  webhook_timeout: ['Webhooks : délai', 'Secondes pour un envoi.'],
  webhook_max_retries: ['Webhooks : tentatives', 'Tentatives avant qu’un envoi échoue.'],
  webhook_workers: ['Webhooks : à la fois', 'Envois simultanés.'],
  webhook_delivery_retention_days: [
    'Webhooks : conservation',
    'Jours pendant lesquels les envois terminés sont gardés.',
  ],
  webhook_retry_delays: ['Webhooks : attentes', 'L’attente avant chaque nouvelle tentative.'],
  webhook_scan_interval: [
    'Webhooks : intervalle de recherche',
    'À quelle fréquence le service cherche les tentatives à faire.',
  ],
  max_upload_size: ['Taille des envois', 'Taille maximale d’un fichier envoyé, en octets.'],
  media_formats: [
    'Formats d’image',
    'Formats des variantes d’image en plus de celui de l’image. Vaut pour les envois suivants ; `slugline media regenerate` renouvelle les autres.',
  ],
  bucket_media: ['Bucket des médias', 'Bucket des médias.'],
  bucket_endpoint: [
    'Stockage : adresse',
    'Adresse du stockage pour le service, ou un dossier de cette machine tel que file:./media.',
  ],
  bucket_region: ['Stockage : région', 'Région du stockage.'],
  bucket_access_key: ['Stockage : clé d’accès', 'Clé d’accès du stockage.'],
  bucket_secret_key: ['Stockage : secret', 'Clé secrète du stockage.'],
  bucket_force_path_style: [
    'Stockage : bucket dans le chemin',
    'Si les adresses du stockage ont le bucket dans le chemin (adresse/bucket/clé).',
  ],
  bucket_public_url: ['Stockage : adresse pour les navigateurs', 'Adresse du stockage pour les navigateurs.'],
  bucket_media_prefix: ['Stockage : préfixe', 'Début des noms des médias dans le bucket.'],
  bucket_backup: ['Bucket des sauvegardes', 'Bucket des sauvegardes.'],
  bucket_admin_media: ['Bucket des médias d’administration', 'Bucket des médias d’administration.'],
  bucket_admin_endpoint: [
    'Médias d’administration : adresse',
    'Adresse du stockage des médias d’administration.',
  ],
  bucket_admin_access_key: [
    'Médias d’administration : clé d’accès',
    'Clé d’accès du stockage des médias d’administration.',
  ],
  bucket_admin_secret_key: [
    'Médias d’administration : secret',
    'Clé secrète du stockage des médias d’administration.',
  ],
  bucket_admin_public_url: [
    'Médias d’administration : adresse pour les navigateurs',
    'Adresse du stockage des médias d’administration pour les navigateurs.',
  ],
}
