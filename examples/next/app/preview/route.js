import { cookies, draftMode } from 'next/headers'
import { redirect } from 'next/navigation'
import { drafts } from '../../lib/cms.mjs'

/** Preview links lead here: begins draft mode with `?preview=`, and ends it without. */
export async function GET(request) {
  const token = new URL(request.url).searchParams.get('preview')
  const draft = await draftMode()
  if (!token) {
    draft.disable()
    redirect('/')
  }
  const { data, error } = await drafts.preview(token)
  if (error) return new Response('This preview is over.', { status: 404 })
  draft.enable()
  const secure = process.env.NODE_ENV === 'production' && new URL(request.url).protocol === 'https:'
  const store = await cookies()
  store.set('preview', token, { httpOnly: true, sameSite: 'lax', path: '/', secure })
  redirect(data.slug ?? '/')
}
