import type { mediaTexts } from '../en/media.js'
import type { Translated } from '../text.js'

export const media: Readonly<Record<(typeof mediaTexts)[number], Translated>> = {
  '0 to 100': '0 bis 100',
  'All files': 'Alle Dateien',
  'Choose another {type} file. The address, the texts and all uses stay the same.':
    'Eine andere Datei vom Typ {type} wählen. Adresse, Texte und Verwendungen bleiben gleich.',
  'Back to the folder': 'Zurück zum Ordner',
  'Delete this folder…': 'Diesen Ordner löschen…',
  Description: 'Beschreibung',
  'Drop files here, or choose': 'Dateien hier ablegen oder auswählen',
  File: 'Datei',
  'Focal point from the left': 'Bildschwerpunkt von links',
  'Focal point from the top': 'Bildschwerpunkt von oben',
  Folder: 'Ordner',
  Folders: 'Ordner',
  'You can delete it only if no content uses it. This cannot be undone.':
    'Löschen ist nur möglich, wenn kein Inhalt die Datei verwendet. Das ist endgültig.',
  'New folder': 'Neuer Ordner',
  'New name': 'Neuer Name',
  'No alt text': 'Ohne Alternativtext',
  None: 'Keiner',
  'Not in a folder': 'Ohne Ordner',
  'Nothing uses it.': 'Wird nirgends verwendet.',
  Rename: 'Umbenennen',
  'Rename this folder': 'Diesen Ordner umbenennen',
  'Replace file': 'Datei ersetzen',
  'The folder contains {files} and {folders}. Move or delete them first.':
    'Der Ordner enthält {files} und {folders}. Zuerst verschieben oder löschen.',
  'The folder contains {files}. Move or delete them first.':
    'Der Ordner enthält {files}. Zuerst verschieben oder löschen.',
  'The folder contains {folders}. Move or delete them first.':
    'Der Ordner enthält {folders}. Zuerst verschieben oder löschen.',
  'The folder is empty. This cannot be undone.': 'Der Ordner ist leer. Das Löschen ist endgültig.',
  Upload: 'Hochladen',
  'Used by': 'Verwendet von',
  Variants: 'Varianten',
  '{n} files': ['{n} Datei', '{n} Dateien'],
  '{n} folders': ['{n} Ordner', '{n} Ordner'],
  'Delete {n} files?': ['{n} Datei löschen?', '{n} Dateien löschen?'],
  Documents: 'Dokumente',
  'Files that content uses are not deleted. This cannot be undone.':
    'Dateien, die Inhalte verwenden, werden nicht gelöscht. Das kann nicht rückgängig gemacht werden.',
  Missing: 'Fehlt',
  'Name or text of a file': 'Name oder Text einer Datei',
  'No files match the filters.': 'Keine Datei passt zu den Filtern.',
  'With the selected files:': 'Mit den ausgewählten Dateien:',
  '{n} files deleted.': ['{n} Datei gelöscht.', '{n} Dateien gelöscht.'],
  '{n} files moved.': ['{n} Datei verschoben.', '{n} Dateien verschoben.'],
  '{n} files were not deleted.': ['{n} Datei wurde nicht gelöscht.', '{n} Dateien wurden nicht gelöscht.'],
  Newest: 'Neueste',
  Oldest: 'Älteste',
  'Name, A to Z': 'Name, A bis Z',
  'Name, Z to A': 'Name, Z bis A',
  'Largest files': 'Größte',
  'Smallest files': 'Kleinste',
  Crop: 'Zuschneiden',
  'Crop…': 'Zuschneiden…',
  'Drag the corners, or use the arrow keys: they move the selection, with Shift they resize it.':
    'Die Ecken ziehen oder die Pfeiltasten verwenden: Sie verschieben die Auswahl, mit der Umschalttaste ändern sie die Größe.',
  'From the left': 'Von links',
  'From the top': 'Von oben',
  Height: 'Höhe',
  Original: 'Original',
  'Reset to the original': 'Auf das Original zurücksetzen',
  'The original of {size} pixels is kept. The address and all uses stay the same.':
    'Das Original mit {size} Pixeln bleibt erhalten. Adresse und Verwendungen bleiben gleich.',
}
