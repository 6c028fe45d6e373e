import '../site.css'
import { languageOf } from '../../lib/languages.mjs'
import { menuIn } from '../../lib/site.mjs'

export default async function Layout({ params, children }) {
  const { slug = [] } = await params
  const language = languageOf(`/${slug.join('/')}`)
  const menu = await menuIn(language)
  const search = `${language.home}/search`.replace('//', '/')
  return (
    <html lang={language.code}>
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>
        <nav aria-label="Menu">
          <ul className="menu">
            {menu.map(({ label, href }) => (
              <li key={label}>
                <a href={href}>{label}</a>
              </li>
            ))}
            <li>
              <a href={search}>{language.words.search}</a>
            </li>
          </ul>
        </nav>
        <main>{children}</main>
      </body>
    </html>
  )
}
