import { cookies, draftMode } from 'next/headers'
import { notFound, permanentRedirect } from 'next/navigation'
import { Article } from '../../components/Article'
import { FollowDraft } from '../../components/FollowDraft'
import { Posts } from '../../components/Posts'
import { Search } from '../../components/Search'
import { cms, drafts, publicUrl } from '../../lib/cms.mjs'
import { languageOf, languages } from '../../lib/languages.mjs'
import { pages, postsIn, taggedWith } from '../../lib/site.mjs'

const pathOf = async params => `/${((await params).slug ?? []).map(decodeURIComponent).join('/')}`
const searchOf = ({ home }) => `${home}/search`.replace('//', '/')

/** Everything that is published when the site is built. Other addresses are rendered at their first request. */
export async function generateStaticParams() {
  const own = languages.flatMap(language => [language.home, searchOf(language)])
  const entries = (await pages()).map(({ entry }) => entry.slug)
  return [...own, ...entries].map(path => ({ slug: path.split('/').filter(Boolean) }))
}

/** The alternatives of a page that is the same in every language. */
const everywhere = of => languages.map(language => ({ code: language.code, href: of(language) }))

/** What is at an address: the newest posts, the search, a post, or the posts of a tag; with its translations. */
async function contentAt(path) {
  const language = languageOf(path)
  const { words, home, code } = language
  if (path === home)
    return {
      ...{ language, title: words.newest, posts: await postsIn(code) },
      translations: everywhere(({ home }) => home),
    }
  if (path === searchOf(language))
    return { language, title: words.search, isSearch: true, translations: everywhere(searchOf) }
  const page = (await pages()).find(({ entry }) => entry.slug === path)
  if (!page) return undefined
  const { entry, ...own } = page
  const content =
    entry.type === 'post' ? { post: entry } : { posts: await taggedWith(entry, own.language.code) }
  return { ...own, title: entry.title, ...content }
}

export async function generateMetadata({ params }) {
  const { isEnabled } = await draftMode()
  // The address of a preview must not leave the site.
  if (isEnabled) return { title: 'Preview', robots: { index: false }, referrer: 'no-referrer' }
  const { title, translations = [] } = (await contentAt(await pathOf(params))) ?? {}
  return {
    title,
    alternates: { languages: Object.fromEntries(translations.map(({ code, href }) => [code, href])) },
  }
}

export default async function Page({ params }) {
  const path = await pathOf(params)
  if ((await draftMode()).isEnabled) return <Draft />
  const content = await contentAt(path)
  if (!content) return missing(path)
  const { language, title, post, posts, isSearch, translations } = content
  return (
    <>
      <ul className="languages" aria-label="Languages">
        {translations.map(({ code, href }) => (
          <li key={code}>
            <a href={href} lang={code} hrefLang={code}>
              {code}
            </a>
          </li>
        ))}
      </ul>
      {post ? <Article post={post} /> : <h1>{title}</h1>}
      {posts && <Posts posts={posts} />}
      {isSearch && <Search url={publicUrl} locale={language.code} label={title} />}
    </>
  )
}

/** The page of the preview link that began the draft mode. */
async function Draft() {
  const token = (await cookies()).get('preview')?.value ?? ''
  const { data, error } = await drafts.preview(token, { sourcemaps: true })
  return (
    <>
      <p>
        <a href="/preview">End the preview</a>
      </p>
      {error ? <p>This preview is over.</p> : <Article post={data} />}
      <FollowDraft url={publicUrl} token={token} />
    </>
  )
}

/** Leads to the current address of a page that has moved. */
async function missing(path) {
  const { error } = await cms.page(path)
  if (error?.code === 'moved' && error.location) permanentRedirect(error.location)
  notFound()
}
