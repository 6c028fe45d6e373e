'use client'
import { slugline } from '@slugline/client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Shows each change of a draft as it is saved, and lets the editor click on a text to edit it. */
export function FollowDraft({ url, token }) {
  const router = useRouter()
  useEffect(() => {
    const ended = new AbortController()
    async function follow() {
      const { signal } = ended
      // The last event says that the link is over.
      for await (const { type } of slugline({ url }).changes({ token, signal }))
        if (type !== 'ready') router.refresh()
    }
    void follow()
    return () => ended.abort()
  }, [router, url, token])
  useEffect(() => {
    // It changes texts, so it must come after React has compared them.
    const script = document.createElement('script')
    script.src = `${url}/admin/edit.js`
    document.head.append(script)
    return () => script.remove()
  }, [url])
  return null
}
