import { cookies, draftMode } from 'next/headers'
import { notFound, permanentRedirect } from 'next/navigation'
import { Article } from '../../components/Article'
import { FollowDraft } from '../../components/FollowDraft'
import { Picture } from '../../components/Picture'
import { Search } from '../../components/Search'
import { cms, drafts, publicUrl } from '../../lib/cms.mjs'
import { languageOf, languages } from '../../lib/languages.mjs'
import { pages, postsIn } from '../../lib/site.mjs'

const pathOf = async params => `/${((await params).slug ?? []).map(decodeURIComponent).join('/')}`
const searchOf = ({ home }) => `${home}/search`.replace('//', '/')

/** Everything that is published when the site is built. Other addresses are rendered at their first request. */
export async function generateStaticParams() {
  const own = languages.flatMap(language => [language.home, searchOf(language)])
  const posts = (await pages()).map(({ post }) => post.slug)
  return [...own, ...posts].map(path => ({ slug: path.split('/').filter(Boolean) }))
}

/** The alternatives of a page that is the same in every language. */
const everywhere = of => languages.map(language => ({ code: language.code, href: of(language) }))

/** What is at an address: the newest posts, the search, or a post with its translations. */
async function contentAt(path) {
  const language = languageOf(path)
  if (path === language.home)
    return { language, title: language.words.newest, translations: everywhere(({ home }) => home) }
  if (path === searchOf(language))
    return { language, title: language.words.search, translations: everywhere(searchOf) }
  const page = (await pages()).find(({ post }) => post.slug === path)
  return page && { ...page, title: page.post.title }
}

export async function generateMetadata({ params }) {
  const { isEnabled } = await draftMode()
  // The address of a preview must not leave the site.
  if (isEnabled) return { robots: { index: false }, referrer: 'no-referrer' }
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
  const { language, title, post, translations } = content
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
      {post && <Article post={post} />}
      {!post && <h1>{title}</h1>}
      {path === searchOf(language) && <Search url={publicUrl} locale={language.code} label={title} />}
      {path === language.home && <Newest language={language} />}
    </>
  )
}

async function Newest({ language }) {
  const posts = await postsIn(language.code)
  return (
    <ol className="posts">
      {posts.map(post => (
        <li key={post.id}>
          <a href={post.slug}>{post.title}</a>
          <p>{post.fields.teaser}</p>
          <Picture media={post.fields.picture} sizes="20rem" />
        </li>
      ))}
    </ol>
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
