import type { RefusalTexts } from '../refusals.js'

export const refusals: RefusalTexts = {
  '"*" means all events: leave out the others':
    '«\u00a0*\u00a0» signifie tous les événements\u00a0: retirez les autres',
  '******** keeps a stored value, but no value is stored: enter one':
    '******** garde une valeur enregistrée, mais aucune ne l’est\u00a0: saisissez-en une',
  'Circular reference detected': 'Référence circulaire détectée',
  'OAuth is not configured': 'OAuth n’est pas configuré',
  'S3 storage must be configured for media uploads':
    'Un stockage S3 doit être configuré pour téléverser des médias',
  'a backup is running: replace the file when it has ended':
    'une sauvegarde est en cours\u00a0: remplacez le fichier quand elle sera terminée',
  'a backup is running: try again when it has ended':
    'une sauvegarde est en cours\u00a0: réessayez quand elle sera terminée',
  'a folder can be set only in the file': 'un dossier ne peut être défini que dans le fichier',
  'a folder cannot be moved into itself': 'un dossier ne peut pas être déplacé dans lui-même',
  'a running import cannot be deleted: cancel it first':
    'une importation en cours ne peut pas être supprimée\u00a0: annulez-la d’abord',
  'a saved view of this list has this name already': 'une vue enregistrée de cette liste porte déjà ce nom',
  'a second factor needs an app_secret': 'un second facteur nécessite app_secret',
  'a system field type cannot be deleted': 'un type de champ du système ne peut pas être supprimé',
  'a system permission cannot be …': 'un droit du système ne peut être ni renommé ni supprimé',
  'a system role cannot be …': 'un rôle du système ne peut être ni renommé ni supprimé',
  'all URLs that begin with … are in use: choose a different slug':
    'toutes les URL qui commencent par {1} sont utilisées\u00a0: choisissez un autre slug',
  'an RSA key must have … to … bits': 'une clé RSA doit avoir de {1} à {2} bits',
  'an account has at most … passkeys': 'un compte a au plus {1} passkeys',
  'an import that is … cannot be cancelled': 'une importation dans cet état ne peut pas être annulée',
  'an import that is … cannot be started': 'une importation dans cet état ne peut pas être lancée',
  'animations cannot be cropped': 'les animations ne peuvent pas être recadrées',
  'another account signs in with this identity': 'un autre compte se connecte avec cette identité',
  'another backup is running': 'une autre sauvegarde est en cours',
  'another import is running': 'une autre importation est en cours',
  'another instance has made the backup': 'une autre instance a fait la sauvegarde',
  'begin with a new secret': 'commencez par un nouveau secret',
  'belongs to the service itself': 'appartient au service lui-même',
  'bucket_backup and its storage must be configured for backups':
    'bucket_backup et son stockage doivent être configurés pour les sauvegardes',
  'bucket_backup must be a different bucket from those for media, because browsers can read these':
    'bucket_backup doit être un autre bucket que ceux des médias, car les navigateurs peuvent lire ces derniers',
  'can be set only if … is many': 'n’est possible que si {1} vaut many',
  'can be set only in the file': 'n’est modifiable que dans le fichier',
  'cannot be changed here: the form may contain only a file':
    'n’est pas modifiable ici\u00a0: le formulaire ne peut contenir qu’un fichier',
  'cannot be combined with unique': 'n’est pas compatible avec unique',
  'cannot change': 'ne peut pas changer',
  'cannot change because values are stored under it': 'ne peut pas changer, car des valeurs en dépendent',
  'cannot delete folder: contains … child folder(s) and … media item(s)':
    'impossible de supprimer le dossier\u00a0: il contient {1} sous-dossier(s) et {2} média(s)',
  'change your own password at /auth/reset with the current one':
    'changez votre propre mot de passe sous /auth/reset avec l’actuel',
  'contains characters that cannot be stored': 'contient des caractères impossibles à enregistrer',
  'field_type and parent_id cannot change while entries have values of this field':
    'field_type et parent_id ne peuvent pas changer tant que des entrées ont des valeurs de ce champ',
  'has more than … values': 'ne peut pas avoir plus de {1} valeurs',
  'has no name': 'n’a pas de nom',
  'image frames … exceed maximum …': 'le nombre d’images de l’animation ({1}) dépasse le maximum ({2})',
  'image height … exceeds maximum …': 'la hauteur de l’image ({1}) dépasse le maximum ({2})',
  'image pixels … exceed maximum …': 'le nombre de pixels de l’image ({1}) dépasse le maximum ({2})',
  'image width … exceeds maximum …': 'la largeur de l’image ({1}) dépasse le maximum ({2})',
  'invalid state: start the sign-in again': 'état non valable\u00a0: recommencez la connexion',
  'is an address that webhooks may not reach': 'est une adresse que les webhooks ne peuvent pas atteindre',
  'is an address that webhooks may not reach (webhook_allowed_networks opens private ones)':
    'est une adresse que les webhooks ne peuvent pas atteindre (webhook_allowed_networks autorise des adresses privées)',
  'is empty': 'est vide',
  'is given twice': 'figure deux fois',
  'is not a key of the type …': 'n’est pas une clé du type {1}',
  'is not a public address': 'n’est pas une adresse publique',
  'is not base64': 'n’est pas en base64',
  'is not valid, or has been used or has expired': 'n’est pas valable, a déjà servi ou a expiré',
  'is one of the most common passwords': 'fait partie des mots de passe les plus courants',
  'is required': 'est obligatoire',
  'is set in the configuration file, which the service cannot write':
    'est défini dans le fichier de configuration, que le service ne peut pas écrire',
  'is too complex': 'est trop complexe',
  'is too long to be encrypted': 'dépasse la longueur possible pour le chiffrement',
  'is …, but its content also matches …': 'est {1}, mais son contenu correspond aussi à {2}',
  'it has already ended': 'c’est déjà terminé',
  'its datatype is deleted: it cannot be restored':
    'son type de données est supprimé\u00a0: la restauration est impossible',
  'its name ends in .…, but its content is …': 'son nom finit par .{1}, mais son contenu est {2}',
  'its name must not have control characters': 'son nom ne doit pas contenir de caractères de contrôle',
  'its parent entry is deleted: restore that entry first':
    'son entrée parente est supprimée\u00a0: restaurez-la d’abord',
  'leads back to the same locale': 'ramène à la même langue',
  'leads back to the slug itself': 'ramène au slug lui-même',
  'leads through too many redirects': 'passe par trop de redirections',
  'looks like the name of a system role': 'ressemble au nom d’un rôle du système',
  'make another locale the default instead': 'choisissez plutôt une autre langue par défaut',
  'more than … redirects lead to this route: delete some of them first':
    'plus de {1} redirections mènent à cette adresse\u00a0: supprimez-en d’abord quelques-unes',
  'more than … redirects lead to …: change their target instead':
    'plus de {1} redirections mènent à {2}\u00a0: changez plutôt leur cible',
  'must be JSON': 'doit être du JSON',
  'must be Latin-1 text without control characters': 'doit être un texte Latin-1 sans caractères de contrôle',
  'must be a JSON array of ids': 'doit être un tableau JSON d’identifiants',
  'must be a date such as 2026-01-31': 'doit être une date comme 2026-01-31',
  'must be a day such as 2026-12-31': 'doit être un jour comme 2026-12-31',
  'must be a header name': 'doit être un nom d’en-tête',
  'must be a key type (…) followed by the key': 'doit être un type de clé ({1}) suivi de la clé',
  'must be a language tag such as de or de-AT': 'doit être un code de langue comme de ou de-AT',
  'must be a new secret, not the mask': 'doit être un nouveau secret, pas le masque',
  'must be a new value, not the mask': 'doit être une nouvelle valeur, pas le masque',
  'must be a number': 'doit être un nombre',
  'must be a path such as /about': 'doit être un chemin comme /about',
  'must be a path such as /about, or an http or https address':
    'doit être un chemin comme /about, ou une adresse http ou https',
  'must be a pattern in the syntax of RE2: …': 'doit être un motif en syntaxe RE2\u00a0: {1}',
  'must be a slug such as about-us': 'doit être un slug comme about-us',
  'must be a time such as 2026-01-31T12:00:00Z':
    'doit être une date avec l’heure, comme 2026-01-31T12:00:00Z',
  'must be a time such as 2026-12-31T00:00:00Z':
    'doit être une date avec l’heure, comme 2026-12-31T00:00:00Z',
  'must be a type such as image or image/png': 'doit être un type comme image ou image/png',
  'must be a whole number': 'doit être un nombre entier',
  'must be a whole number from 0 to 100': 'doit être un nombre entier de 0 à 100',
  'must be a whole number from 0 to 1000000': 'doit être un nombre entier de 0 à 1000000',
  'must be after publish_at': 'doit être après publish_at',
  'must be an absolute address': 'doit être une adresse absolue',
  'must be an address': 'doit être une adresse',
  'must be an address such as https://www.example.com/':
    'doit être une adresse comme https://www.example.com/',
  'must be an e-mail address': 'doit être une adresse e-mail',
  'must be an e-mail address of ASCII characters': 'doit être une adresse e-mail en caractères ASCII',
  'must be an https address': 'doit être une adresse https',
  'must be an https address (webhook_allow_http is false)':
    'doit être une adresse https (webhook_allow_http est false)',
  'must be an id': 'doit être un identifiant',
  'must be another user': 'doit être un autre utilisateur',
  'must be at least …': 'doit être d’au moins {1}',
  'must be at most …': 'doit être d’au plus {1}',
  'must be at most … bytes': 'doit faire au plus {1} octets',
  'must be at most … characters': 'doit avoir au plus {1} caractères',
  'must be at most … headers': 'doit avoir au plus {1} en-têtes',
  'must be given again when … changes': 'est à saisir de nouveau quand {1} change',
  'must be in the future': 'doit être dans le futur',
  'must be not after …': 'ne doit pas être après {1}',
  'must be not before …': 'ne doit pas être avant {1}',
  'must be one line without control characters': 'doit tenir sur une ligne, sans caractères de contrôle',
  'must be one of …': 'doit être l’une des valeurs {1}',
  'must be one of ……': 'doit être l’une des valeurs {1}{2}',
  'must be one or many': 'doit être one ou many',
  'must be text': 'doit être du texte',
  'must be the name of a datatype': 'doit être le nom d’un type de données',
  'must be true or false': 'doit être true ou false',
  'must be unique, but entry … has the same value': 'doit être unique, mais l’entrée {1} a la même valeur',
  'must be …, because the address of the file stays the same':
    'doit être {1}, car l’adresse du fichier ne change pas',
  'must be …, but … is …': 'doit être {1}, mais {2} est {3}',
  'must be …, or a media type such as image/png': 'doit être {1}, ou un type de média comme image/png',
  'must end inside the image, which has …': 'doit se terminer dans l’image, qui fait {1}',
  'must have at least 1 character': 'doit avoir au moins 1 caractère',
  'must have at least 1 item': 'doit avoir au moins 1 élément',
  'must have at least 8 characters': 'doit avoir au moins 8 caractères',
  'must have at least …': 'doit avoir au moins {1}',
  'must have at least … characters': 'doit avoir au moins {1} caractères',
  'must have at least … different characters': 'doit avoir au moins {1} caractères différents',
  'must have at least … items': 'doit avoir au moins {1} éléments',
  'must have at most 1 item': 'doit avoir au plus 1 élément',
  'must have at most 128 characters': 'doit avoir au plus 128 caractères',
  'must have at most …': 'doit avoir au plus {1}',
  'must have at most … characters': 'doit avoir au plus {1} caractères',
  'must have at most … characters to be compared with its pattern':
    'doit avoir au plus {1} caractères pour la comparaison avec son motif',
  'must have at most … items': 'doit avoir au plus {1} éléments',
  'must have each value once, and has … twice':
    'doit avoir chaque valeur une seule fois, mais {1} y est deux fois',
  'must have more than whitespace': 'doit contenir autre chose que des espaces',
  'must have no control characters': 'ne doit pas contenir de caractères de contrôle',
  'must have no control or invisible characters':
    'ne doit pas contenir de caractères de contrôle ou invisibles',
  'must have no partials and no other delimiters': 'ne doit contenir ni partials ni autres délimiteurs',
  'must have no section inside another': 'ne doit pas contenir de section dans une autre',
  'must have no user and no password': 'ne doit contenir ni utilisateur ni mot de passe',
  'must have no user name and no password': 'ne doit contenir ni nom d’utilisateur ni mot de passe',
  'must match the pattern …': 'doit correspondre au motif {1}',
  'must name a file': 'doit nommer un fichier',
  'must name a tag': 'doit nommer un mot-clé',
  'must not be before from': 'ne doit pas être avant from',
  'must not be empty': 'ne doit pas être vide',
  'must not be made of the e-mail address, the username or the name':
    'ne doit pas être tiré de l’adresse e-mail, du nom d’utilisateur ou du nom',
  'must not be more than …': 'ne doit pas dépasser {1}',
  'must not begin with …': 'ne doit pas commencer par {1}',
  'must not contain an empty segment, "." or ".."':
    'ne doit contenir ni segment vide, ni «\u00a0.\u00a0», ni «\u00a0..\u00a0»',
  'must not contain commas or control characters': 'ne doit contenir ni virgules ni caractères de contrôle',
  'must not contain invisible characters': 'ne doit pas contenir de caractères invisibles',
  'must not contain whitespace or control characters':
    'ne doit contenir ni espaces ni caractères de contrôle',
  'must not contain whitespace, "\\" or control characters':
    'ne doit contenir ni espaces, ni «\u00a0\\\u00a0», ni caractères de contrôle',
  'must not contain whitespace, "\\", "?", "#", "%" or control characters':
    'ne doit contenir ni espaces, ni «\u00a0\\\u00a0», «\u00a0?\u00a0», «\u00a0#\u00a0» ou «\u00a0%\u00a0», ni caractères de contrôle',
  'must not have "/" or "\\"': 'ne doit contenir ni «\u00a0/\u00a0» ni «\u00a0\\\u00a0»',
  'must not name a header twice': 'ne doit pas nommer un en-tête deux fois',
  'must refer to entries of …, but … belongs to …':
    'doit renvoyer à des entrées de type {1}, mais {2} est de type {3}',
  'needs an alt text: add one to the image "…"':
    'nécessite un texte alternatif\u00a0: ajoutez-en un à l’image «\u00a0{1}\u00a0»',
  'needs datatypes, routes or own': 'nécessite datatypes, routes ou own',
  'no account has the e-mail address …': 'aucun compte n’a l’adresse e-mail {1}',
  'not found': 'introuvable',
  'not found: …': 'introuvable\u00a0: {1}',
  'only a page has an address': 'seule une page a une adresse',
  'only an administrator can change it': 'seul un administrateur peut le modifier',
  'only an administrator can create a key for another user':
    'seul un administrateur peut créer une clé pour un autre utilisateur',
  'only an administrator can download a backup': 'seul un administrateur peut télécharger une sauvegarde',
  'only an administrator can set the limits of a role':
    'seul un administrateur peut définir les limites d’un rôle',
  'only its author can change a comment': 'seul son auteur peut modifier un commentaire',
  'only its author can withdraw a request': 'seul son auteur peut retirer une demande',
  'only its author or a user with content:admin can delete a comment':
    'seul son auteur ou un utilisateur avec content:admin peut supprimer un commentaire',
  'only png, jpg, webp and gif images can be cropped':
    'seules les images png, jpg, webp et gif peuvent être recadrées',
  'only png, jpg, webp and gif images can be shown':
    'seules les images png, jpg, webp et gif peuvent être affichées',
  'only png, jpg, webp and gif images have variants':
    'seules les images png, jpg, webp et gif ont des variantes',
  'passkeys need HTTPS and the domain of client_site or admin_site; without either, http://localhost':
    'les passkeys nécessitent HTTPS et le domaine de client_site ou admin_site\u00a0; sans eux, http://localhost',
  'registration is closed: ask an administrator for an account':
    'l’inscription est fermée\u00a0: demandez un compte à un administrateur',
  'slug already exists': 'ce slug existe déjà',
  'somebody already requested a review of this page': 'quelqu’un a déjà demandé une relecture de cette page',
  'somebody else requested a review of this page: wait until that review ends':
    'quelqu’un d’autre a demandé une relecture de cette page\u00a0: attendez la fin de celle-ci',
  'somebody else saved first: read the record again':
    'quelqu’un d’autre a enregistré avant\u00a0: rechargez les données',
  'somebody replaced the file in the meantime': 'quelqu’un a remplacé le fichier entre-temps',
  'still referenced by users.role': 'encore référencé par users.role',
  'still referenced by ….locale': 'encore référencé par {1}.locale',
  'still referenced by ….translations': 'encore référencé par {1}.translations',
  'still used by content ……; use force=true to delete it anyway':
    'encore utilisé par le contenu {1}{2}\u00a0; utilisez force=true pour supprimer malgré tout',
  'the account could change more of the site than you':
    'le compte pourrait modifier une plus grande partie du site que vous',
  'the account has no password: a second factor protects the sign-in by password only':
    'le compte n’a pas de mot de passe\u00a0: un second facteur ne protège que la connexion par mot de passe',
  'the account has no second factor': 'le compte n’a pas de second facteur',
  'the account with this e-mail address belongs to another identity of the provider':
    'le compte avec cette adresse e-mail appartient à une autre identité du fournisseur',
  'the account with this e-mail address signs in with another provider':
    'le compte avec cette adresse e-mail se connecte avec un autre fournisseur',
  'the address of a calendar needs an app_secret': 'l’adresse d’un calendrier nécessite app_secret',
  'the address redirects too often': 'l’adresse redirige trop souvent',
  'the answer is too late, or was used before: start again':
    'la réponse arrive trop tard ou a déjà servi\u00a0: recommencez',
  'the body is larger than … bytes': 'le corps dépasse {1} octets',
  'the content is being moved, try again': 'le contenu est en cours de déplacement, réessayez',
  'the datatype does not have this field': 'le type de données n’a pas ce champ',
  'the default locale cannot be deleted': 'la langue par défaut ne peut pas être supprimée',
  'the default locale cannot be disabled': 'la langue par défaut ne peut pas être désactivée',
  'the delivery is …: only a failed one can be sent again':
    'la livraison n’a pas échoué\u00a0: seule une livraison en échec peut être renvoyée',
  'the entry exists already: restoring a version brought it back':
    'l’entrée existe déjà\u00a0: la restauration d’une version l’a rétablie',
  'the entry has … comments: delete some': 'l’entrée a {1} commentaires\u00a0: supprimez-en quelques-uns',
  'the entry is a draft: publish it first': 'l’entrée est un brouillon\u00a0: publiez-la d’abord',
  'the entry is not on a page': 'l’entrée n’est pas sur une page',
  'the entry still has child entries': 'l’entrée contient encore d’autres entrées',
  'the export has no type …': 'l’export n’a pas de type {1}',
  'the export has two entries with the name …': 'l’export a deux entrées du nom {1}',
  'the export has … files, but no storage for media is configured: configure one, or …':
    'l’export a {1} fichiers, mais aucun stockage des médias n’est configuré\u00a0: configurez-en un, ou {2}',
  'the field ….… already exists with the type …, but the import has the type …':
    'le champ {1}.{2} existe déjà avec le type {3}, mais l’importation a le type {4}',
  'the file is being replaced by somebody else': 'quelqu’un d’autre est en train de remplacer le fichier',
  'the home page cannot be moved': 'la page d’accueil ne peut pas être déplacée',
  'the image is damaged or cannot be read': 'l’image est endommagée ou illisible',
  'the image is too large to be cropped': 'l’image est trop grande pour être recadrée',
  'the image is too large to be shown': 'l’image est trop grande pour être affichée',
  'the image takes too long to render': 'le traitement de l’image prend trop de temps',
  'the last administrator cannot be deleted or get a different role':
    'le dernier administrateur ne peut être supprimé ni changer de rôle',
  'the list has … saved views: delete some':
    'la liste a {1} vues enregistrées\u00a0: supprimez-en quelques-unes',
  'the locale does not exist': 'la langue n’existe pas',
  'the locale is still the fallback of another locale': 'la langue est encore la langue de repli d’une autre',
  'the media storage does not respond': 'le stockage des médias ne répond pas',
  'the original is not in the media storage': 'l’original n’est pas dans le stockage des médias',
  'the passkey was not accepted': 'la passkey n’a pas été acceptée',
  'the permission … is missing': 'le droit {1} manque',
  'the port is not allowed': 'le port n’est pas autorisé',
  'the provider did not sign you in': 'le fournisseur ne vous a pas connecté',
  'the provider returned an invalid e-mail address':
    'le fournisseur a renvoyé une adresse e-mail non valable',
  'the query takes too long: add conditions or request fewer results':
    'la requête prend trop de temps\u00a0: ajoutez des conditions ou demandez moins de résultats',
  'the request is …, not open': 'la demande n’est plus ouverte',
  'the role admin has no limits': 'le rôle admin n’a pas de limites',
  'the role does not exist': 'le rôle n’existe pas',
  'the second factor is on': 'le second facteur est activé',
  'the second factor is on: turn it off before you set up another':
    'le second facteur est activé\u00a0: désactivez-le avant d’en configurer un autre',
  'the service was stopped before the backup was complete':
    'le service a été arrêté avant la fin de la sauvegarde',
  'the service was updated while it was running: restart it':
    'le service a été mis à jour pendant qu’il fonctionnait\u00a0: redémarrez-le',
  'the sign-in took too long: enter the password again':
    'la connexion a pris trop de temps\u00a0: saisissez de nouveau le mot de passe',
  'the signature of this address is not valid': 'la signature de cette adresse n’est pas valable',
  'the site has media, but no storage for media is configured':
    'le site a des médias, mais aucun stockage des médias n’est configuré',
  'the stored snapshot is damaged': 'la version enregistrée est endommagée',
  'the uploaded file is not on this server any more: upload it again':
    'le fichier téléversé n’est plus sur ce serveur\u00a0: téléversez-le de nouveau',
  'the webhook is not active, so the deliveries would not be sent':
    'le webhook n’est pas actif\u00a0: les livraisons ne seraient pas envoyées',
  'the webhook is not active, so the delivery would not be sent':
    'le webhook n’est pas actif\u00a0: la livraison ne serait pas envoyée',
  'there are … presets already, which is the maximum': 'il y a déjà {1} tailles d’image, c’est le maximum',
  'there is a folder … already': 'il y a déjà un dossier {1}',
  'there is an account with this e-mail address, and the provider has not verified that it is yours: sign in with your password':
    'un compte a déjà cette adresse e-mail, et le fournisseur n’a pas vérifié qu’elle est à vous\u00a0: connectez-vous avec votre mot de passe',
  'there is no datatype …: …': 'il n’y a pas de type de données {1}\u00a0: {2}',
  'there is no event ……': 'il n’y a pas d’événement {1}{2}',
  'there is no member ……': 'il n’y a pas de membre {1}{2}',
  'there is no permission ……': 'il n’y a pas de droit {1}{2}',
  'there is no such provider': 'ce fournisseur n’existe pas',
  'there is no …': '{1} n’existe pas',
  'there is nothing to publish': 'il n’y a rien à publier',
  'there is nothing to restore': 'il n’y a rien à restaurer',
  'there is nothing to undo': 'il n’y a rien à annuler',
  'this account has more permissions than yours: only an administrator can change it':
    'ce compte a plus de droits que le vôtre\u00a0: seul un administrateur peut le modifier',
  'this address has expired': 'cette adresse a expiré',
  'this address is invalid or was revoked': 'cette adresse n’est pas valable ou a été révoquée',
  'this affects … trees, and one request can delete at most …: delete some of them first':
    'cela touche {1} arborescences, et une requête peut en supprimer au plus {2}\u00a0: supprimez-en d’abord quelques-unes',
  'this backup is not complete': 'cette sauvegarde n’est pas terminée',
  'this entry is not a page': 'cette entrée n’est pas une page',
  'this form has expired: reload the page': 'ce formulaire a expiré\u00a0: rechargez la page',
  'this instance only reads: send changes and sign-ins to an instance that writes':
    'cette instance lit seulement\u00a0: envoyez les modifications et les connexions à une instance qui écrit',
  'this is an account of an administrator: only an administrator can change it':
    'c’est un compte d’administrateur\u00a0: seul un administrateur peut le modifier',
  'this is your only way to sign in: add a passkey or set a password first':
    'c’est votre seul moyen de connexion\u00a0: ajoutez d’abord une passkey ou définissez un mot de passe',
  'this passkey is unknown here: it may have been removed':
    'cette passkey est inconnue ici\u00a0: elle a peut-être été retirée',
  'this role has more permissions than yours: only an administrator can change it':
    'ce rôle a plus de droits que le vôtre\u00a0: seul un administrateur peut le modifier',
  'too many requests, try again later': 'trop de requêtes, réessayez plus tard',
  'too many sign-ins are open, try again later': 'trop de connexions sont en cours, réessayez plus tard',
  'turn your own second factor off with your password and a code':
    'désactivez votre propre second facteur avec votre mot de passe et un code',
  'unknown type of datatype: …': 'genre de type de données inconnu\u00a0: {1}',
  'username already exists': 'ce nom d’utilisateur existe déjà',
  'variables can be used only in the file': 'les variables ne sont possibles que dans le fichier',
  'webhooks are not enabled, so the deliveries would not be sent':
    'les webhooks ne sont pas activés\u00a0: les livraisons ne seraient pas envoyées',
  'webhooks are not enabled, so the delivery would not be sent':
    'les webhooks ne sont pas activés\u00a0: la livraison ne serait pas envoyée',
  'wrong code': 'code incorrect',
  'wrong current password': 'mot de passe actuel incorrect',
  'wrong e-mail or password': 'e-mail ou mot de passe incorrect',
  'you cannot grant a permission that you do not have':
    'vous ne pouvez pas accorder un droit que vous n’avez pas',
  'you have a calendar address already': 'vous avez déjà une adresse de calendrier',
  'you signed in more than 10 minutes ago: sign out, sign in again, and repeat this':
    'vous vous êtes connecté il y a plus de 10 minutes\u00a0: déconnectez-vous, reconnectez-vous et recommencez',
  'your account signs in with another identity of this provider: unlink that first':
    'votre compte se connecte avec une autre identité de ce fournisseur\u00a0: dissociez-la d’abord',
  'your role requires a second factor: set one up at /admin/profile/second-factor, or with POST /api/v1/auth/second-factor':
    'votre rôle exige un second facteur\u00a0: configurez-en un sous /admin/profile/second-factor ou avec POST /api/v1/auth/second-factor',
  'your role requires a second factor: sign in with your passkey':
    'votre rôle exige un second facteur\u00a0: connectez-vous avec votre passkey',
  '… No entry was imported: make the files available, or ….':
    '{1} Aucune entrée n’a été importée\u00a0: rendez les fichiers accessibles, ou {2}.',
  '… can be placed only under its parent datatype':
    '{1} ne peut être placé que sous son type de données parent',
  '… does not accept an array': '{1} n’accepte pas de tableau',
  '… does not accept an object': '{1} n’accepte pas d’objet',
  '… has a field of its own': '{1} a son propre champ',
  '… has more than … values': '{1} a plus de {2} valeurs',
  '… is not translatable': '{1} n’est pas traduisible',
  '… is taken, … is available': '{1} est déjà prise\u00a0: {2} est libre',
  '… is under an entry that would be deleted: move it first':
    '{1} est sous une entrée qui serait supprimée\u00a0: commencez par déplacer cette entrée-là',
  '… must be JSON': '{1} doit être du JSON',
  '… must be a JSON array of ids': '{1} doit être un tableau JSON d’identifiants',
  '… must be a date such as 2026-01-31': '{1} doit être une date comme 2026-01-31',
  '… must be a number': '{1} doit être un nombre',
  '… must be a slug such as about-us': '{1} doit être un slug comme about-us',
  '… must be a time such as 2026-01-31T12:00:00Z':
    '{1} doit être une date avec l’heure, comme 2026-01-31T12:00:00Z',
  '… must be an address': '{1} doit être une adresse',
  '… must be an e-mail address': '{1} doit être une adresse e-mail',
  '… must be an id': '{1} doit être un identifiant',
  '… must be the id of a media item': '{1} doit être l’identifiant d’un média',
  '… must be the id of an existing entry': '{1} doit être l’identifiant d’une entrée existante',
  '… must be true or false': '{1} doit être true ou false',
  '… must have no control or invisible characters':
    '{1} ne doit pas contenir de caractères de contrôle ou invisibles',
  '… this folder would exceed maximum folder depth of …':
    'les dossiers dépasseraient la profondeur maximale de {2}',
  '… was moved here from another place: move or delete it first':
    '{1} vient d’un autre endroit\u00a0: déplacez ou supprimez d’abord cette entrée',
  '… was moved to another tree: move it back first':
    '{1} est maintenant dans une autre arborescence\u00a0: remettez d’abord cette entrée à sa place',
  '… would have more than … tags': '{1} aurait plus de {2} mots-clés',
  'Error exchanging token': 'le fournisseur n’a pas terminé la connexion',
  'another process has taken over this work': 'un autre processus a repris ce travail',
  'send the code of your authenticator app, or a recovery code, with the password':
    'envoyez avec le mot de passe le code de l’application d’authentification ou un code de secours',
  'too many long queries at once, try again': 'trop de recherches longues à la fois\u00a0: réessayez',
  '….slug already exists': 'le slug existe déjà dans {1}',
}
