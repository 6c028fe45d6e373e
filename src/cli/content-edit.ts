import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actor } from '../actor.js'
import { badRequest } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import { type ModelField, modelOf, nameOf, valuesOf } from '../resources/entries.js'
import { changedValues, memberOf } from '../resources/entry-fields.js'
import { entryMark, unlessEdited } from '../resources/entry-mark.js'
import { ContentUpdate } from '../services/content/content-input.js'
import type { Services } from '../services/index.js'
import { authorOf } from './author.js'
import { type LocalCommand, show } from './command.js'
import { parsed } from './given.js'
import { idOf } from './names.js'
import { asOperator } from './site.js'
import type { Terminal } from './terminal.js'
import { partsOf } from './whole-entries.js'

/** Runs the editor of a person on a file, as git does: the variable may hold options too. */
function runEditor({ variables }: Terminal, path: string): Promise<void> {
  const editor = variables.VISUAL || variables.EDITOR || 'vi'
  const running = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    running.once('error', reject)
    running.once('exit', code =>
      code === 0
        ? resolve()
        : reject(badRequest(`the editor ${editor} exited with code ${code}: nothing was saved`)),
    )
  })
}

/** Reads the values of an edited text: all of them are texts. @throws 400 for anything else */
async function valuesIn(text: string, names: readonly string[]): Promise<Record<string, string>> {
  const { parse } = (await import('yaml')).default
  let value: unknown
  try {
    value = parse(text, { schema: 'failsafe', maxAliasCount: 0 })
  } catch (error) {
    throw badRequest(`the text is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  // A file without a value holds nothing to save.
  if (value === null || value === '' || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw badRequest('the text must have a line for each field, such as title: About us')
  for (const [name, given] of Object.entries(value)) {
    if (!names.includes(name)) throw badRequest(`there is no field ${name}: ${didYouMean(name, names)}`)
    if (typeof given !== 'string') throw badRequest(`${name}: must be a text, in quotes or behind |`)
  }
  return value as Record<string, string>
}

interface Edited {
  readonly id: string
  readonly head: string
  readonly values: Readonly<Record<string, string>>
  /** Saves values, unless somebody else has saved since they were read. @returns the names of those that changed */
  save(values: Readonly<Record<string, string>>): Promise<string[]>
}

async function opened(services: Services, actor: Actor, text: string, locale: string): Promise<Edited> {
  const { content } = services.space
  const parts = partsOf(services)
  const id = await idOf('content', text, services, actor)
  const entry = await content.get(id)
  const own = (await modelOf(parts)).fieldsOf.get(entry.datatype_id) ?? []
  const fields = locale === '' ? own : own.filter(({ translatable }) => translatable)
  const stored = await valuesOf(id, parts)
  const storedOf = ({ field_id }: ModelField) =>
    stored.find(row => row.field_id === field_id && row.locale === locale)?.field_value ?? ''
  return {
    id,
    head: [await nameOf(entry, parts), entry.status, locale].filter(Boolean).join(' · '),
    values: Object.fromEntries(fields.map(field => [field.name, storedOf(field)])),
    async save(values) {
      const given = fields.flatMap(field => {
        const value = values[field.name]
        // A block of YAML ends with a line feed that the stored text lacks.
        return value === undefined ? [] : [[memberOf(field), value] as const]
      })
      const changes = changedValues(fields, storedOf, Object.fromEntries(given))
      if (Object.keys(changes).length === 0) return []
      const patch = parsed(ContentUpdate, { fields: changes, ...(locale === '' ? {} : { locale }) })
      await content.update(actor, id, patch, unlessEdited(entryMark(entry)))
      return Object.keys(changes)
    },
  }
}

/** Opens the fields of an entry in the editor of the person, as YAML, and saves the changed ones. */
export const contentEdit: LocalCommand['run'] = (terminal, options, [text = '']) =>
  asOperator(terminal, options.config, 'content edit', async (services, operator) => {
    const { locale = '', author } = options
    const actor = author === undefined ? operator : { ...operator, userId: await authorOf(services, author) }
    const { id, head, values, save } = await opened(services, actor, text, locale)
    const { stringify } = (await import('yaml')).default
    const before = `# ${head.replaceAll(/[\r\n]/g, ' ')}\n# Change the values and save the file. If you change nothing, nothing is stored.\n${stringify(values, { lineWidth: 0 })}`
    const folder = await mkdtemp(join(tmpdir(), 'slugline-edit-'))
    const path = join(folder, `${text.replaceAll(/[^\w.-]+/g, '-').replace(/^-+/, '') || 'entry'}.yaml`)
    await writeFile(path, before, { mode: 0o600 })
    let isKept = false
    try {
      await runEditor(terminal, path)
      const after = await readFile(path, 'utf8')
      isKept = after !== before
      const changed = after === before ? [] : await save(await valuesIn(after, Object.keys(values)))
      isKept = false
      const words = changed.length === 0 ? 'Nothing was changed.' : `Saved ${changed.join(', ')}.`
      show(terminal, options, { content_data_id: id, changed }, words)
      return 0
    } catch (error) {
      if (isKept) terminal.writeError(`The text is kept in ${path}\n`)
      throw error
    } finally {
      if (!isKept) await rm(folder, { recursive: true, force: true })
    }
  })
