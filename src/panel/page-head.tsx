import { changedMeanwhile, invalid } from '../errors.js'
import type { Entry } from '../resources/entries.js'
import { entryMark } from '../resources/entry-mark.js'
import { parsed } from '../routes/form-values.js'
import { folderOf } from '../services/content/page-slugs.js'
import { RouteUpdate } from '../services/content/routes.js'
import type { PanelContext } from './context.js'
import { Control } from './control.js'
import { type Field, typedIn } from './controls.js'
import { type Draft, formText, type Texts } from './pages.js'
import { Icon } from './parts.js'
import { markOf } from './record-mark.js'
import type { View } from './view.js'

export type Route = Awaited<ReturnType<PanelContext['services']['space']['routes']['get']>>
const members = ['title', 'slug'] as const
const Head = RouteUpdate.pick({ title: true, slug: true }).required()

/** Returns the route of an entry; undefined if the entry is not a page. */
export const routeOf = async (
  { route_id }: Pick<Entry, 'route_id'>,
  { services: { space } }: PanelContext,
): Promise<Route | undefined> => (route_id === null ? undefined : space.routes.get(route_id))

/** Title and address of a page; only the last part of the address is edited. */
export const headFields = ({ title, slug }: Route, { t }: View): Field[] => [
  { name: 'title', label: t('Title'), kind: 'lines', rows: 1, value: title },
  { name: 'slug', label: t('Address'), mono: true, value: slug.slice(folderOf(slug).length) },
]

const marksOf = (context: PanelContext, route: Route) => members.map(name => markOf(context, route[name]))

/** Returns the mark of a form: the edit of the entry, and the title and address of its page. */
export const pageMark = (entry: Entry, route: Route | undefined, context: PanelContext): string =>
  [entryMark(entry), ...(route ? marksOf(context, route) : [])].join(' ')

/** Splits a mark into that of the entry, and those of title and address. */
export function partsOfMark(seen: string): { entry: string; head: string[] } {
  const [revision = '', at = '', ...head] = seen.split(' ')
  return { entry: seen === '' ? '' : `${revision} ${at}`, head }
}

/** The members that others have changed since the form was shown. */
export const headChanged = (seen: string, route: Route, context: PanelContext): string[] => {
  const now = marksOf(context, route)
  const { head } = partsOfMark(seen)
  return head.length === 0 ? [] : members.filter((_, i) => head[i] !== now[i])
}

/** Returns the changes of a form to title and address; undefined without changes. @throws 400 if one is invalid */
export function headChange(texts: Texts, route: Route) {
  if (texts.title === undefined || texts.slug === undefined) return undefined
  const last = formText(texts, 'slug')
  // An empty last part is a mistake: nobody means the address of the parent page.
  if (last === '' && route.slug !== '/') throw invalid('slug', 'must not be empty')
  const typed = parsed(Head, {
    // The title has a textarea, so that all of it is visible.
    title: formText(texts, 'title')
      .split(/[\r\n]/)
      .map(line => line.trim())
      .filter(Boolean)
      .join(' '),
    slug: last.startsWith('/') ? last : `${folderOf(route.slug)}${last}`,
  })
  const { title, slug } = typed
  if (title === route.title && slug === route.slug) return undefined
  return { ...(title === route.title ? {} : { title }), ...(slug === route.slug ? {} : { slug }) }
}

/** Refuses, within the transaction, to change a title or an address that differs from what the form showed. */
export const unlessRenamed =
  (seen: string, changed: object, context: PanelContext) =>
  (before: Route): void => {
    if (headChanged(seen, before, context).some(name => name in changed)) throw changedMeanwhile()
  }

const Problem = ({ view, name, text }: { view: View; name: string; text: string | undefined }) =>
  text === undefined ? null : (
    <p class="error" id={`e-${name}`}>
      <Icon view={view} name="alert" />
      {text}
    </p>
  )

/** Title and address of a page, edited in place. */
export function PageHead({ view, route, draft }: { view: View; route: Route; draft: Draft | undefined }) {
  const texts = draft && typedIn(draft)
  return (
    <>
      <h1 class="hidden-text">{route.title}</h1>
      {headFields(route, view).map(field => {
        const { name, label } = field
        const problem = draft?.errors.get(name)
        const described = {
          'aria-label': label,
          'aria-invalid': problem === undefined ? undefined : 'true',
          'aria-describedby': problem === undefined ? undefined : `e-${name}`,
        }
        const value = texts?.[name] ?? field.value
        return (
          <div class={`field page-${name}`}>
            {name === 'slug' && <code>{folderOf(route.slug)}</code>}
            <Control view={view} field={field} id={`f-${name}`} value={value} described={described} />
            <Problem view={view} name={name} text={problem} />
          </div>
        )
      })}
    </>
  )
}
