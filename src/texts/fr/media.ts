import type { mediaTexts } from '../en/media.js'
import type { Translated } from '../text.js'

export const media: Readonly<Record<(typeof mediaTexts)[number], Translated>> = {
  '0 to 100': 'de 0 à 100',
  'All files': 'Tous les fichiers',
  'Choose another {type} file. The address, the texts and all uses stay the same.':
    'Choisissez un autre fichier {type}. L’adresse, les textes et les utilisations ne changent pas.',
  'Back to the folder': 'Retour au dossier',
  'Delete this folder…': 'Supprimer ce dossier…',
  Description: 'Description',
  'Drop files here, or choose': 'Déposez des fichiers ici ou choisissez',
  File: 'Fichier',
  'Focal point from the left': 'Point focal depuis la gauche',
  'Focal point from the top': 'Point focal depuis le haut',
  Folder: 'Dossier',
  Folders: 'Dossiers',
  'You can delete it only if no content uses it. This cannot be undone.':
    'La suppression n’est possible que si aucun contenu n’utilise le fichier. Cette action est définitive.',
  'New folder': 'Nouveau dossier',
  'New name': 'Nouveau nom',
  'No alt text': 'Sans texte alternatif',
  None: 'Aucun',
  'Not in a folder': 'Sans dossier',
  'Nothing uses it.': 'N’est utilisé nulle part.',
  Rename: 'Renommer',
  'Rename this folder': 'Renommer ce dossier',
  'Replace file': 'Remplacer le fichier',
  'The folder contains {files} and {folders}. Move or delete them first.':
    'Le dossier contient {files} et {folders}. Commencez par les déplacer ou les supprimer.',
  'The folder contains {files}. Move or delete them first.':
    'Le dossier contient {files}. Commencez par les déplacer ou les supprimer.',
  'The folder contains {folders}. Move or delete them first.':
    'Le dossier contient {folders}. Commencez par les déplacer ou les supprimer.',
  'The folder is empty. This cannot be undone.': 'Le dossier est vide. Cette action est définitive.',
  Upload: 'Téléverser',
  'Used by': 'Utilisé par',
  Variants: 'Variantes',
  '{n} files': ['{n} fichier', '{n} fichiers'],
  '{n} folders': ['{n} dossier', '{n} dossiers'],
  'Delete {n} files?': ['Supprimer {n} fichier ?', 'Supprimer {n} fichiers ?'],
  Documents: 'Documents',
  'Files that content uses are not deleted. This cannot be undone.':
    'Les fichiers utilisés par un contenu ne sont pas supprimés. Cette action est définitive.',
  Missing: 'Manquant',
  'Name or text of a file': 'Nom ou texte d’un fichier',
  'No files match the filters.': 'Aucun fichier ne correspond aux filtres.',
  'With the selected files:': 'Avec les fichiers sélectionnés :',
  '{n} files deleted.': ['{n} fichier supprimé.', '{n} fichiers supprimés.'],
  '{n} files moved.': ['{n} fichier déplacé.', '{n} fichiers déplacés.'],
  '{n} files were not deleted.': [
    '{n} fichier n’a pas été supprimé.',
    '{n} fichiers n’ont pas été supprimés.',
  ],
  Newest: 'Plus récents',
  Oldest: 'Plus anciens',
  'Name, A to Z': 'Nom, de A à Z',
  'Name, Z to A': 'Nom, de Z à A',
  'Largest files': 'Plus gros',
  'Smallest files': 'Plus petits',
  Crop: 'Recadrer',
  'Crop…': 'Recadrer…',
  'Drag the corners, or use the arrow keys: they move the selection, with Shift they resize it.':
    'Faites glisser les coins ou utilisez les touches fléchées : elles déplacent la sélection et, avec Maj, la redimensionnent.',
  'From the left': 'Depuis la gauche',
  'From the top': 'Depuis le haut',
  Height: 'Hauteur',
  Original: 'Original',
  'Reset to the original': 'Rétablir l’original',
  'The original of {size} pixels is kept. The address and all uses stay the same.':
    'L’original de {size} pixels est conservé. L’adresse et toutes les utilisations restent identiques.',
}
