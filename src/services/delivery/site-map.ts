import type { PublishedPage } from '../../db/queries/published-pages.js'
import { limits } from '../../limits.js'

/** The texts of https://www.sitemaps.org/protocol.html, with alternates by locale. */

const maxAddresses = limits.pages.sitemapUrls
/** Most alternates in one sitemap, which keep it far below 50 MB. */
const maxAlternates = limits.pages.sitemapAlternates
/** Most alternates in one piece, unless one page alone has more: a few milliseconds of work. */
const alternatesAtOnce = 2000
const pagesAtOnce = 500

const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'
export const urlsetStart = `${xml}<urlset xmlns="${namespace}" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n`
export const urlsetEnd = '</urlset>\n'
export const indexStart = `${xml}<sitemapindex xmlns="${namespace}">\n`
export const indexEnd = '</sitemapindex>\n'

/** Locales with addresses of their own; empty if content has no locales. */
export interface SiteLocales {
  readonly standard: string
  readonly codes: ReadonlySet<string>
}

/** How many pages one sitemap has, and how many of them are written at once. */
export function lengthsFor({ codes }: SiteLocales): { most: number; piece: number } {
  const each = 1 + codes.size
  const atMost = Math.min(Math.floor(maxAddresses / each), Math.floor(maxAlternates / each ** 2))
  const piece = Math.min(pagesAtOnce, Math.floor(alternatesAtOnce / each ** 2))
  return { most: Math.max(1, atMost), piece: Math.max(1, piece) }
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, found => escapes[found] ?? found)

const addressOf = (origin: string, slug: string): string => escaped(origin + encodeURI(slug))

/** Every address of a page that it has in enabled locales, by locale; its own is that of the default one. */
function addresses(
  { slug, translations }: PublishedPage,
  { codes, standard }: SiteLocales,
): [string, string][] {
  const translated = Object.entries(translations).flatMap(([code, own]): [string, string][] =>
    own.slug !== undefined && codes.has(code) ? [[code, own.slug]] : [],
  )
  const isOwn = translated.some(([code]) => code === standard)
  return translated.length === 0
    ? []
    : [...(isOwn ? [] : ([[standard, slug]] as [string, string][])), ...translated]
}

/** A page under each of its addresses, each with all others. */
export function urlsOf(page: PublishedPage, locales: SiteLocales, origin: string): string {
  const own = addressOf(origin, page.slug)
  const others = addresses(page, locales).map(([code, slug]) => [code, addressOf(origin, slug)] as const)
  const links = others.length === 0 ? [] : [...others, ['x-default', own] as const]
  const alternates = links
    .map(([code, href]) => `<xhtml:link rel="alternate" hreflang="${escaped(code)}" href="${href}"/>`)
    .join('')
  const modified = page.modified === '' ? '' : `<lastmod>${page.modified}</lastmod>`
  return [...new Set([own, ...others.map(([, href]) => href)])]
    .map(href => `<url><loc>${href}</loc>${modified}${alternates}</url>\n`)
    .join('')
}

/** One of several sitemaps. @param end undefined for the last one, where new pages come */
export function partOf(origin: string, after: string, end: string | undefined): string {
  const range = end === undefined ? `after=${after}` : `after=${after}&until=${end}`
  return `<sitemap><loc>${escaped(`${origin}/sitemap.xml?${range}`)}</loc></sitemap>\n`
}
