import { vercelStegaEncode } from '@vercel/stega'
import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import { type Node, walk } from './tree.js'

const formPath = '/admin/content/entry/'

/** Texts that people read. A mark in others, such as an address, would break what a front end does with them. */
const marked = new Set(['text', 'textarea', 'richtext'])

/** The first text of HTML, as far as its first element that has one. */
const firstText = /(^|>)([^<]*[^<\s][^<]*)/

function addressOf({ content_data_id, locale }: LeanValue, field: string, origin: string): string {
  const query = locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`
  return `${origin}${formPath}${content_data_id}${query}#f-fields.${encodeURIComponent(field)}`
}

/**
 * Puts into each text, as characters that nobody sees, where it is edited; as other services and Vercel's editing do
 * (D-703). Only for previews: a public answer never has them.
 * @param origin in front of the address; without it the script that reads them knows the service by its own
 */
export function markSources<E extends LeanEntry, V extends LeanValue>(
  root: Node<E, V>,
  origin: string,
): void {
  for (const { values } of walk(root))
    for (const { field, value } of values) {
      if (!marked.has(field.field_type) || value.field_value.trim() === '') continue
      const mark = vercelStegaEncode({ origin: 'slugline', href: addressOf(value, field.name, origin) })
      // The rows were read for this answer alone.
      const own: { field_value: string } = value
      // Entities and elements stay whole: the mark stands behind a text, never in a tag.
      own.field_value =
        field.field_type === 'richtext'
          ? value.field_value.replace(
              firstText,
              (_, before: string, text: string) => `${before}${text}${mark}`,
            )
          : `${value.field_value}${mark}`
    }
}
