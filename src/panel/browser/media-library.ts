import { startDrag } from './media-drag.js'
import { startUpload } from './upload.js'

// Loaded by the library alone.
startDrag()
startUpload()
