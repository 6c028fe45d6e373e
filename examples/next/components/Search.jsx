'use client'
import { slugline } from '@slugline/client'
import { useRef, useState } from 'react'

/** Searches in the browser, at each key. */
export function Search({ url, locale, label }) {
  const [found, setFound] = useState([])
  const latest = useRef(new AbortController())

  async function search(words) {
    latest.current.abort()
    latest.current = new AbortController()
    const { signal } = latest.current
    const { data, error } = await slugline({ url, locale }).search(words, { type: 'post' }, { signal })
    if (error?.code !== 'aborted') setFound(data ?? [])
  }

  return (
    <>
      <search>
        <form onSubmit={event => event.preventDefault()}>
          <label>
            {label} <input type="search" onChange={event => search(event.target.value)} />
          </label>
        </form>
      </search>
      <ol className="results" aria-live="polite">
        {found.map(({ id, page, highlights }) => (
          <li key={id}>
            <a href={page.slug}>{page.title}</a>
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: all but <mark> is escaped by the service */}
            <p dangerouslySetInnerHTML={{ __html: highlights[0]?.html ?? '' }} />
          </li>
        ))}
      </ol>
    </>
  )
}
