import { changedMeanwhile, invalid } from '../errors.js'
import { all, type Entry } from '../resources/entries.js'
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
const Translated = RouteUpdate.pick({ translations: true }).required()

/** The names of title and address in a form. @param locale empty for those of the default language */
export const headNames = (locale: string): readonly [title: string, slug: string] =>
  locale === '' ? members : [`translations.${locale}.title`, `translations.${locale}.slug`]

/** The locale whose title and address the page of a locale edits: empty for the default one. */
export async function headLocale(locale: string, { services }: PanelContext): Promise<string> {
  if (locale === '') return ''
  const [found] = await all(services.locales.list({ code: locale }, { limit: 1 }))
  return found && !found.is_default ? locale : ''
}

/** Returns the route of an entry; undefined if the entry is not a page. */
export const routeOf = async (
  { route_id }: Pick<Entry, 'route_id'>,
  { services: { space } }: PanelContext,
): Promise<Route | undefined> => (route_id === null ? undefined : space.routes.get(route_id))

/** Title and address of a page; only the last part of the address is edited, and of a translation all of it. */
export function headFields({ title, slug, translations }: Route, locale: string, { t }: View): Field[] {
  const [titleName, slugName] = headNames(locale)
  const own = translations[locale]
  const isOwn = locale === ''
  const shown = isOwn
    ? { title, slug: slug.slice(folderOf(slug).length) }
    : { title: own?.title ?? '', slug: own?.slug ?? '' }
  const like = (text: string) => (isOwn ? {} : { placeholder: text })
  return [
    { name: titleName, label: t('Title'), kind: 'lines', rows: 1, value: shown.title, ...like(title) },
    { name: slugName, label: t('Address'), mono: true, value: shown.slug, ...like(slug) },
  ]
}

const marksOf = (context: PanelContext, route: Route) =>
  [route.title, route.slug, JSON.stringify(route.translations)].map(part => markOf(context, part))

/** Returns the mark of a form: the edit of the entry, and the title and address of its page. */
export const pageMark = (entry: Entry, route: Route | undefined, context: PanelContext): string =>
  [entryMark(entry), ...(route ? marksOf(context, route) : [])].join(' ')

/** Splits a mark into that of the entry, and those of title and address. */
export function partsOfMark(seen: string): { entry: string; head: string[] } {
  const [revision = '', at = '', ...head] = seen.split(' ')
  return { entry: seen === '' ? '' : `${revision} ${at}`, head }
}

/** The members that others have changed since the form was shown. */
export function headChanged(seen: string, route: Route, locale: string, context: PanelContext): string[] {
  const [title, slug, translations] = marksOf(context, route)
  const { head } = partsOfMark(seen)
  if (head.length !== 3) return []
  const now = locale === '' ? [title, slug] : [translations, translations]
  const then = locale === '' ? head : [head[2], head[2]]
  return headNames(locale).filter((_, i) => then[i] !== now[i])
}

// The title has a textarea, so that all of it is visible.
const titleIn = (texts: Texts, name: string) =>
  formText(texts, name)
    .split(/[\r\n]/)
    .map(line => line.trim())
    .filter(Boolean)
    .join(' ')

/** Returns the changes of a form to title and address; undefined without changes. @throws 400 if one is invalid */
export function headChange(texts: Texts, route: Route, locale: string) {
  const names = headNames(locale)
  if (names.some(name => texts[name] === undefined)) return undefined
  const title = titleIn(texts, names[0])
  const last = formText(texts, names[1])
  return locale === '' ? ownChange(title, last, route) : translatedChange(title, last, route, locale)
}

function ownChange(given: string, last: string, route: Route) {
  // An empty last part is a mistake: nobody means the address of the parent page.
  if (last === '' && route.slug !== '/') throw invalid('slug', 'must not be empty')
  const { title, slug } = parsed(Head, {
    title: given,
    slug: last.startsWith('/') ? last : `${folderOf(route.slug)}${last}`,
  })
  if (title === route.title && slug === route.slug) return undefined
  return { ...(title === route.title ? {} : { title }), ...(slug === route.slug ? {} : { slug }) }
}

function translatedChange(title: string, path: string, route: Route, locale: string) {
  const slug = path === '' || path.startsWith('/') ? path : `/${path}`
  const own = route.translations[locale]
  if (title === (own?.title ?? '') && slug === (own?.slug ?? '')) return undefined
  const translations = { [locale]: { title: title || null, slug: slug || null } }
  return parsed(Translated, { translations: JSON.stringify(translations) })
}

/** Refuses, within the transaction, to change a title or an address that differs from what the form showed. */
export const unlessRenamed =
  (seen: string, changed: object, locale: string, context: PanelContext) =>
  (before: Route): void => {
    const others = headChanged(seen, before, locale, context)
    if (others.some(name => locale !== '' || name in changed)) throw changedMeanwhile()
  }

const Problem = ({ view, name, text }: { view: View; name: string; text: string | undefined }) =>
  text === undefined ? null : (
    <p class="error" id={`e-${name}`}>
      <Icon view={view} name="alert" />
      {text}
    </p>
  )

interface HeadProps {
  view: View
  route: Route
  locale: string
  draft: Draft | undefined
}

/** Title and address of a page, edited in place. */
export function PageHead({ view, route, locale, draft }: HeadProps) {
  const texts = draft && typedIn(draft)
  return (
    <>
      <h1 class="hidden-text">{route.translations[locale]?.title ?? route.title}</h1>
      {headFields(route, locale, view).map((field, i) => {
        const { name, label } = field
        const problem = draft?.errors.get(name)
        const described = {
          'aria-label': label,
          'aria-invalid': problem === undefined ? undefined : 'true',
          'aria-describedby': problem === undefined ? undefined : `e-${name}`,
        }
        const value = texts?.[name] ?? field.value
        return (
          <div class={`field page-${members[i]}`}>
            {name === 'slug' && <code>{folderOf(route.slug)}</code>}
            <Control view={view} field={field} id={`f-${name}`} value={value} described={described} />
            <Problem view={view} name={name} text={problem} />
          </div>
        )
      })}
    </>
  )
}
