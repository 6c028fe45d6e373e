import { basename } from 'node:path'
import { badRequest, tooLarge } from '../errors.js'
import { archives } from '../node/ports.js'
import type { Services } from '../services/index.js'
import { type Io, type SiteCommand, show } from './command.js'

type Folders = Awaited<ReturnType<Services['media']['folders']['tree']>>

/** Returns the id of a folder by its path, such as `team/2027`. @throws 400 for a folder that is not there */
async function folderAt({ media }: Services, path: string): Promise<string> {
  let [inside, id]: [Folders, string] = [await media.folders.tree(), '']
  for (const part of path.split('/').filter(Boolean)) {
    const found = inside.find(({ name, folder_id }) => name === part || folder_id === part)
    if (!found) throw badRequest(`there is no media folder ${part}`, 'folder')
    ;[inside, id] = [found.children, found.folder_id]
  }
  return id
}

/** The bytes of a file of the machine, or of standard input where no file can be named. */
function bytesOf(io: Io, path: string): AsyncIterable<Uint8Array> {
  return io.openFile && path !== '-' ? io.openFile(path) : io.input()
}

/** Uploads one file. Over SSH its bytes are the standard input, and the argument is only its name. */
export const mediaUpload: SiteCommand['work'] = async (services, actor, io, options, [path = '']) => {
  const name = options.name ?? (path === '-' ? '' : basename(path))
  if (name === '') throw badRequest('the file on standard input needs --name', 'name')
  const most = Number((await services.configuration.read()).max_upload_size)
  const fields = new Map<string, string>()
  if (options.folder !== undefined) fields.set('folder_id', await folderAt(services, options.folder))
  if (options.alt !== undefined) fields.set('alt_text', options.alt)
  const scratch = await archives.scratch()
  let size = 0
  try {
    for await (const piece of bytesOf(io, path)) {
      size += piece.byteLength
      if (size > most) throw tooLarge(`the file is larger than ${most} bytes`)
      await scratch.write(piece)
    }
    if (size === 0) throw badRequest('the file is empty')
  } catch (error) {
    await scratch.discard()
    throw error
  }
  const file = await scratch.close()
  try {
    const item = await services.media.items.add(actor, { file: { ...file, name }, fields })
    show(io, options, item, `${item.media_id} ${item.url}`)
    return 0
  } finally {
    await file.discard()
  }
}
