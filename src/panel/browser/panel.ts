import './global.js'
import 'htmx.org/dist/ext/hx-csp.js'
import { startComments } from './comments.js'
import { startConflicts } from './conflict.js'
import { startCopies } from './copy-source.js'
import { startDrafts } from './drafts.js'
import { startFolds } from './folds.js'
import { startFollowing } from './follows.js'
import { startFrame } from './frame.js'
import { startTurns } from './in-turn.js'
import { startKeys } from './keys.js'
import { startList } from './list.js'
import { startNewPage } from './new-page.js'
import { startNotes } from './notes.js'
import { startPalette } from './palette.js'
import { startPanes } from './panes.js'
import { startParts } from './parts.js'
import { startPicked } from './picked.js'
import { startPresence } from './presence.js'
import { startPreview } from './preview.js'
import { startRich } from './rich.js'
import { startRows } from './rows.js'
import { startSelection } from './selection.js'
import { startSending } from './send-file.js'
import { startTree } from './tree.js'
import { startTreeMenus } from './tree-menus.js'
import { startTyping } from './typing.js'
import { tellZone } from './zone.js'

tellZone()
startTyping()
startFolds()
startPanes()
startParts()
startSending()
startTurns()
startList()
startRows()
startFollowing()
startDrafts()
startNotes()
startKeys()
startPalette()
startPresence()
startTreeMenus()
startSelection()
startTree()
startPicked()
startRich()
startCopies()
startPreview()
startNewPage()
startFrame()
startConflicts()
startComments()

// A page that a form puts into this one may need a script that this one has not loaded. Each is run only once.
document.addEventListener('htmx:after:swap', () => {
  const own = document.getElementById('app')?.dataset.script
  if (own !== undefined) void import(own)
})
