/** A mail as text and as HTML. */
interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The words around the one link of a mail. */
interface Words {
  readonly subject: string
  readonly before: readonly string[]
  readonly open: string
  readonly after?: readonly string[]
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const paragraph = (text: string): string => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`

const message = (to: string, link: string, { subject, before, open, after = [] }: Words): Message => ({
  to,
  subject,
  text: `${[...before, link, ...after].join('\n\n')}\n`,
  html: [
    ...before.map(paragraph),
    `<p><a href="${escapeHtml(link)}">${open}</a></p>`,
    ...after.map(paragraph),
  ].join(''),
})

/** The mail with a link that sets a new password. */
export const resetMail = (to: string, link: string): Message =>
  message(to, link, {
    subject: 'Set a new password',
    before: [
      'Somebody asked to set a new password for your account.\nIf it was you, open this link within an hour:',
    ],
    open: 'Set a new password',
    after: ['If it was not you, do nothing: your password stays as it is.'],
  })

/** The mail with a link that somebody has made for the owner of an account. @param isInvitation if it has no password yet */
export const passwordLinkMail = (to: string, link: string, isInvitation: boolean): Message =>
  isInvitation
    ? message(to, link, {
        subject: 'Your new account',
        before: ['You have a new account. Open this link within seven days and set its password:'],
        open: 'Set the password',
      })
    : message(to, link, {
        subject: 'Set a new password',
        before: ['Open this link within an hour to set a new password for your account:'],
        open: 'Set a new password',
      })

/** News about an entry: who has done something, and the words that they wrote about it. */
export interface ReviewNews {
  readonly what: 'mentioned' | 'open' | 'approved' | 'returned'
  readonly who: string
  readonly title: string
  readonly words: string
}

const sentences = {
  mentioned: ({ who, title }) => `${who} mentioned you in a comment on “${title}”`,
  open: ({ who, title }) => `${who} requested a review of “${title}”`,
  approved: ({ who, title }) => `${who} published “${title}”`,
  returned: ({ who, title }) => `${who} sent “${title}” back`,
} as const satisfies Record<ReviewNews['what'], (news: ReviewNews) => string>

/** The mail about a comment or a request for review. @param link to the entry */
export function reviewMail(to: string, link: string, news: ReviewNews): Message {
  const subject = sentences[news.what](news)
  return message(to, link, { subject, before: [subject, news.words].filter(Boolean), open: 'Open it' })
}

/** Whoever acts without an account. */
export const serviceName = 'The service'
