import { HttpError, type OneOfErrors } from '../errors.js'
import { all, type Model, type ModelField, namesOf } from '../resources/entries.js'
import { memberOf } from '../resources/entry-fields.js'
import { besideField } from '../resources/refusals.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { labelled } from './controls.js'
import { type Draft, draftOf, type Elsewhere } from './pages.js'
import { entryPath } from './work-table.js'

interface Refused extends OneOfErrors {
  readonly content_data_id?: string
  readonly locale?: string
}
const maxRefused = 20

async function elsewhereOf(
  errors: readonly Refused[],
  model: Model,
  { t, refusal }: Wording,
  context: PanelContext,
): Promise<Elsewhere[]> {
  const shown = errors.slice(0, maxRefused)
  const ids = [...new Set(shown.flatMap(({ content_data_id }) => content_data_id ?? []))]
  const { content } = context.services.space
  const entries =
    ids.length === 0 ? [] : await all(content.list({ content_data_id: ids }, { limit: ids.length }))
  const names = await namesOf(entries, model, context)
  const byId = new Map(entries.map(entry => [entry.content_data_id, entry]))
  const links = shown.map(({ content_data_id: id = '', member, error, locale = '' }) => {
    const fields = model.fieldsOf.get(byId.get(id)?.datatype_id ?? '') ?? []
    const label = fields.find(field => memberOf(field) === member)?.label ?? member
    const name = names.get(id) ?? id
    const problem = labelled(label, refusal(besideField(error, member)))
    const query = locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`
    return {
      words:
        locale === ''
          ? t('“{name}”: {problem}', { name, problem })
          : t('“{name}” ({locale}): {problem}', { name, locale, problem }),
      path: `${entryPath(id)}${query}#f-${member}`,
    }
  })
  const left = errors.length - shown.length
  const [last] = shown.slice(-1)
  if (left > 0)
    links.push({ words: t('{n} more', { n: left }), path: entryPath(last?.content_data_id ?? '') })
  return links
}

/** Shows the form of a saved entry whose publish was refused. @throws errors that are not about the content */
export async function notPublished(
  error: unknown,
  {
    id,
    locale,
    fields,
    model,
    wording,
  }: { id: string; locale: string; fields: readonly ModelField[]; model: Model; wording: Wording },
  context: PanelContext,
): Promise<Draft & { status: number }> {
  const names = new Set(fields.map(memberOf))
  if (!(error instanceof HttpError) || !error.errors)
    return { ...draftOf({}, error, names, wording), isStored: true }
  const { status, code, message } = error
  const errors = error.errors as readonly Refused[]
  const isOwn = (one: Refused) =>
    (one.content_data_id ?? id) === id && (one.locale ?? locale) === locale && names.has(one.member)
  const own = new HttpError(status, code, message, undefined, {}, errors.filter(isOwn))
  const others = errors.filter(one => !isOwn(one))
  return {
    ...draftOf({}, own, names, wording),
    isStored: true,
    elsewhere: await elsewhereOf(others, model, wording, context),
  }
}
