import { createHmac, timingSafeEqual } from 'node:crypto'
import { revalidateTag } from 'next/cache'

/** Whether the service has signed the body with the secret of its webhook. */
function isSigned(body, signature) {
  const expected = createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest()
  const given = Buffer.from(signature ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Reads the content again: at the next request, without a build. */
export async function POST(request) {
  const { WEBHOOK_SECRET } = process.env
  if (!WEBHOOK_SECRET) return new Response('WEBHOOK_SECRET is not set', { status: 503 })
  if (!isSigned(await request.text(), request.headers.get('x-cms-signature')))
    return new Response('the signature is wrong', { status: 401 })
  revalidateTag('slugline', { expire: 0 })
  return new Response('taken')
}
