import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ModelField } from '../resources/entries.js'
import { isSafe } from '../services/content/rich-text/rules.js'
import { safeHtml } from '../services/delivery/rich-text/html.js'
import type { View } from './view.js'

const frame = /<iframe((?:\s[a-z]+="[^"]*")*)><\/iframe>/g

/** Safe HTML with links in place of frames, which the policy of the page refuses. */
const withoutFrames = (html: string): string =>
  html.replaceAll(frame, (_, attributes: string) => {
    const address = /\ssrc="([^"]*)"/.exec(attributes)?.[1] ?? ''
    return `<a href="${address}">${address}</a>`
  })

export interface FieldProps {
  view: View
  field: ModelField
  value: unknown
  /** The language of the value; null if the field has no languages. */
  locale: string | null
  canEdit: boolean
  level?: number | undefined
}

interface Picture {
  readonly url: string
  readonly alt: string | null
  readonly caption: string | null
  readonly mimetype: string
  readonly width: number | null
  readonly height: number | null
  readonly variants: readonly { width: number; fit: string; url: string }[]
}
interface Reference {
  readonly id: string
  readonly type: string
  readonly slug: string | null
  readonly title: string | null
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isPicture = (value: unknown): value is Picture => isObject(value) && 'mimetype' in value
const isReference = (value: unknown): value is Reference =>
  isObject(value) && 'id' in value && 'type' in value
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

const beside: ReadonlySet<string> = new Set([
  'number',
  'boolean',
  'date',
  'datetime',
  'json',
  'select',
  'email',
  'slug',
])

/** Whether a field is a short value with its label. */
export const isBesides = ({ field_type }: ModelField): boolean => beside.has(field_type)

const marksOf = ({ field, locale, canEdit }: FieldProps) =>
  canEdit ? { 'data-field': field.name, 'data-locale': locale ?? undefined } : {}

/** A link, if its address is safe: the same rule as in rich text. */
const SafeLink = ({ href, kind, children }: { href: string; kind?: string; children?: Child }) =>
  isSafe('href', href.trim()) && !/[\p{Cc}]/u.test(href) ? (
    <a class={kind} href={href.trim()} rel="noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

const sourcesOf = ({ variants, url, width }: Picture): string | undefined => {
  const whole = variants.filter(({ fit }) => fit === 'inside').map(one => `${one.url} ${one.width}w`)
  return whole.length === 0 || width === null ? undefined : [...whole, `${url} ${width}w`].join(', ')
}

const Figure = ({ picture }: { picture: Picture }) => (
  <figure>
    {picture.mimetype.startsWith('image/') ? (
      <img
        src={picture.url}
        srcset={sourcesOf(picture)}
        sizes="(max-width: 48rem) 100vw, 46rem"
        alt={picture.alt ?? ''}
        width={picture.width ?? undefined}
        height={picture.height ?? undefined}
        loading="lazy"
      />
    ) : (
      <SafeLink href={picture.url} kind="file">
        {picture.caption ?? picture.alt ?? decodeURIComponent(picture.url.split('/').at(-1) ?? '')}{' '}
        <small>{picture.mimetype}</small>
      </SafeLink>
    )}
    {picture.caption !== null && picture.mimetype.startsWith('image/') && (
      <figcaption>{picture.caption}</figcaption>
    )}
  </figure>
)

/** A link to another entry: to its page if the user may edit, else only its name. */
const Referred = ({ view, to, canEdit }: { view: View; to: Reference; canEdit: boolean }) => {
  const title = to.title || to.slug || to.type
  const at = `${view.base}/content/entry/${to.id}`
  if (!canEdit) return <span class="link">{title}</span>
  return to.slug === null ? (
    <a class="link" href={at} target="_top">
      {title}
    </a>
  ) : (
    <a class="link" href={`${at}/page`}>
      {title}
    </a>
  )
}

/** A value as a short text. */
function wordsOf({ view, field, value }: FieldProps): Child {
  if (typeof value === 'boolean') return value ? view.t('Yes') : view.t('No')
  if (field.field_type === 'email' && typeof value === 'string')
    return <SafeLink href={`mailto:${value}`}>{value}</SafeLink>
  if (field.field_type === 'datetime' && typeof value === 'string')
    return <time datetime={value}>{`${value.slice(0, 16).replace('T', ' ')} UTC`}</time>
  if (field.field_type === 'date') return <time>{String(value)}</time>
  if (!isObject(value)) return String(value)
  const parts = Object.entries(value)
  const isFlat = parts.length <= 20 && parts.every(([, part]) => !isObject(part))
  if (!isFlat) return <pre>{JSON.stringify(value, null, 2)}</pre>
  return parts.map(([name, part]) => (
    <span class="part">{Array.isArray(value) ? String(part) : `${name} ${part}`}</span>
  ))
}

/** One field, by its type. No value becomes markup except rich text, which is sanitised. */
export function FieldOf(props: FieldProps) {
  const { view, field, value, canEdit, level } = props
  const marks = marksOf(props)
  const isHidden = value === ''
  if (isBesides(field))
    return (
      <div {...marks}>
        <dt>{field.label}</dt>
        <dd>{wordsOf(props)}</dd>
      </div>
    )
  switch (field.field_type) {
    case 'text':
    case 'textarea': {
      // Every possible name is a plain element.
      const Tag = (level === undefined ? 'p' : `h${level}`) as 'p'
      return (
        <Tag class={field.field_type} {...marks} data-typed={canEdit ? '' : undefined} hidden={isHidden}>
          {String(value)}
        </Tag>
      )
    }
    case 'richtext':
      return (
        <div class="rich" {...marks}>
          {raw(withoutFrames(safeHtml(String(value))))}
        </div>
      )
    case 'url':
      return (
        <p class="go" {...marks}>
          <SafeLink href={String(value)}>
            {field.label} <small>{String(value)}</small>
          </SafeLink>
        </p>
      )
    case 'media':
      return (
        <div class="pictures" {...marks}>
          {list(value)
            .filter(isPicture)
            .map(picture => (
              <Figure picture={picture} />
            ))}
        </div>
      )
    case 'relation':
      return (
        <p class="relations" {...marks}>
          <span class="label">{field.label}</span>
          {list(value)
            .filter(isReference)
            .map(to => (
              <Referred view={view} to={to} canEdit={canEdit} />
            ))}
        </p>
      )
    default:
      return (
        <p class="text" {...marks}>
          {isObject(value) ? JSON.stringify(value) : String(value)}
        </p>
      )
  }
}
