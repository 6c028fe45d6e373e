import { languageOf } from '../../lib/languages.mjs'
import { menuIn } from '../../lib/site.mjs'

const style = `
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
img { max-width: 100%; height: auto; }
nav ul { display: flex; gap: 1rem; list-style: none; padding: 0; }
`

export default async function Layout({ params, children }) {
  const { slug = [] } = await params
  const language = languageOf(`/${slug.join('/')}`)
  const menu = await menuIn(language)
  const search = `${language.home}/search`.replace('//', '/')
  return (
    <html lang={language.code}>
      <head>
        <style>{style}</style>
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
