import { notFound } from '../errors.js'
import type { Ctx } from '../middleware/context.js'
import type { PanelFile, PanelFiles } from '../ports.js'
import { type PanelContext, panelPath } from './context.js'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const known = new WeakMap<PanelFiles, Promise<ReadonlyMap<string, PanelFile>>>()

/** Reads the files of the panel, once. Without them pages work but have no style. */
function filesOf(context: PanelContext): Promise<ReadonlyMap<string, PanelFile>> {
  let files = known.get(context.panelFiles)
  if (!files) {
    files = context.panelFiles.read().catch(error => {
      known.delete(context.panelFiles)
      context.log.error({ err: error }, 'the style sheets and scripts of the panel cannot be read')
      return new Map()
    })
    known.set(context.panelFiles, files)
  }
  return files
}

/** Returns the address of a file, which changes with its bytes. */
export type AddressOf = (name: string) => string

export async function addressesOf(context: PanelContext): Promise<AddressOf> {
  const files = await filesOf(context)
  return name => `${panelPath}/files/${files.get(name)?.hash.slice(0, 12) ?? '-'}/${name}`
}

function codingFor(c: Ctx): 'br' | 'gzip' | undefined {
  const accepted = c.req.header('accept-encoding') ?? ''
  return (['br', 'gzip'] as const).find(coding =>
    new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0)`).test(accepted),
  )
}

/** Script, style and icons. They are the same for everybody, so they need no permission. */
export function filePages(context: PanelContext) {
  const api = context.endpointsOf('panel files')
  /** @param keep the cache policy of the file */
  async function answer(c: Ctx, name: string, keep: (file: PanelFile) => string): Promise<Response> {
    const file = (await filesOf(context)).get(name)
    if (!file) throw notFound()
    const coding = codingFor(c)
    const bytes = coding && file.encoded.get(coding)
    return c.body(bytes ?? file.bytes, 200, {
      'Content-Type': types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      'Cache-Control': keep(file),
      Vary: 'Accept-Encoding',
      ...(bytes && coding ? { 'Content-Encoding': coding } : {}),
    })
  }
  api.get('/files/:hash/:name', 'public', { summary: 'A file of the panel', anyQuery: true }, c =>
    // An old address of a changed file works too, but is not cached.
    answer(c, c.req.param('name') ?? '', ({ hash }) =>
      hash.startsWith(c.req.param('hash') ?? '') ? 'public, max-age=31536000, immutable' : 'no-store',
    ),
  )
  api.get('/edit.js', 'public', { summary: 'Links previews of front ends to the panel' }, c => {
    c.header('Cross-Origin-Resource-Policy', 'cross-origin')
    return answer(c, 'edit.js', () => 'public, max-age=3600')
  })
  return api
}
