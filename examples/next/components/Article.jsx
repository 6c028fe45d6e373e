import { Picture } from './Picture'

/** A post in the format `native`, whose rich text is safe to insert. */
export function Article({ post: { title, fields } }) {
  return (
    <article>
      <h1>{title}</h1>
      {fields.date && <time dateTime={fields.date}>{fields.date}</time>}
      <p>{fields.teaser}</p>
      <Picture media={fields.picture} sizes="(min-width: 60rem) 60rem, 100vw" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the service keeps allowed HTML only */}
      <div dangerouslySetInnerHTML={{ __html: fields.body ?? '' }} />
      <ul className="tags">
        {(fields.tags ?? []).map(({ id, slug, title }) => (
          <li key={id}>
            <a href={slug}>{title}</a>
          </li>
        ))}
      </ul>
    </article>
  )
}
