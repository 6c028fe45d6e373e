import { button, element, showDialog } from './elements.js'
import { say } from './say.js'
import { t } from './text.js'
import { hasPaused, isInText } from './typing.js'

const signInPath = '/admin/sign-in'

const jsonOf = async (answer: Response): Promise<Record<string, string>> => answer.json().catch(() => ({}))

/** Gives the forms of this page the token of the new session. @returns the problem; empty on success */
async function renewForms(): Promise<string> {
  const answer = await fetch('/admin/form-token').catch(() => undefined)
  if (!answer) return t('No connection.')
  const { user_id, token = '' } = await jsonOf(answer)
  if (!answer.ok || user_id === undefined) return t('You are not signed in yet.')
  if (user_id !== document.querySelector<HTMLElement>('#app')?.dataset.user)
    return t('You signed in with a different account. The text stays on this page, unsaved.')
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=form_token]'))
    input.value = token
  for (const place of document.querySelectorAll<HTMLElement>('[data-upload-to]'))
    place.dataset.uploadTo = place.dataset.uploadTo?.replace(/form_token=[^&]*/, `form_token=${token}`)
  return ''
}

interface Refused {
  readonly problem: string
  /** Whether the account has a second factor, and its code is missing or wrong. */
  readonly asksCode: boolean
}

/** @returns the problem; empty on success */
async function signIn(given: Readonly<Record<'email' | 'password' | 'code', string>>): Promise<Refused> {
  const answer = await fetch('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  }).catch(() => undefined)
  if (!answer) return { problem: t('No connection.'), asksCode: false }
  if (answer.ok) return { problem: '', asksCode: false }
  const { error, member, code } = await jsonOf(answer)
  if (code === 'second_factor_required') return { problem: t('Enter the code of your app.'), asksCode: true }
  return { problem: error ?? t('The sign-in failed.'), asksCode: member === 'code' }
}

const noticeId = 'session-ended'
const notice = () => document.getElementById(noticeId)
/** Called once the forms of the page can be sent again. */
let afterwards: () => void = () => undefined

/** Says that the session ended, and leaves the focus where it is. */
export function noteSignedOut(): void {
  if (notice() || document.querySelector('#sign-in-again')) return
  const words = `${t('Your session ended')}. ${t('Your text is kept. Sign in to save it.')}`
  const attributes = { id: noticeId, class: 'note', role: 'status' }
  document.body.append(
    element('div', attributes, element('p', {}, words), button(t('Sign in…'), ask, 'next')),
  )
  say(words)
}

/**
 * Asks to sign in over the page, so that no typed value is lost. While the caret is in a text, a notice offers the
 * dialog: it would take the focus, and the rest of a word. Saving again, without typing, opens it too.
 * @param done called once the forms of the page can be sent again
 */
export function signInAgain(done: () => void): void {
  afterwards = done
  if (!isInText() || (notice() && hasPaused())) ask()
  else noteSignedOut()
}

const input = (type: string, autocomplete: string, id: string) =>
  element('input', { class: 'input', type, autocomplete, id })

const row = (word: string, of: HTMLInputElement) =>
  element('div', { class: 'field' }, element('label', { for: of.id }, word), of)

function ask(): void {
  if (document.querySelector('#sign-in-again')) return
  let isSignedIn = false
  const email = input('email', 'username', 'again-email')
  const password = input('password', 'current-password', 'again-password')
  const code = input('text', 'one-time-code', 'again-code')
  const codeRow = row(t('Code'), code)
  codeRow.hidden = true
  const told = element('p', { class: 'error', role: 'alert' })
  const finish = async (problem: string) => {
    const left = problem || (await renewForms())
    told.textContent = left
    if (left !== '') return
    isSignedIn = true
    dialog.close()
    notice()?.remove()
    document.dispatchEvent(new Event('signed-in'))
    afterwards()
    afterwards = () => undefined
  }
  const form = element(
    'form',
    {},
    row(t('E-mail'), email),
    row(t('Password'), password),
    codeRow,
    told,
    element(
      'div',
      { class: 'actions' },
      element('button', { type: 'submit', class: 'button next' }, t('Sign in and save')),
      button(t('Not now'), () => dialog.close(), 'bare'),
    ),
    element(
      'p',
      { class: 'links' },
      element('a', { href: signInPath, target: '_blank', rel: 'noreferrer' }, t('Sign in another way')),
      ' ',
      button(t('I have signed in'), () => void finish('')),
    ),
  )
  const dialog = element(
    'dialog',
    { id: 'sign-in-again', 'aria-labelledby': 'again-title' },
    element('h2', { id: 'again-title' }, t('Your session ended')),
    element('p', {}, t('Your text is kept. Sign in to save it.')),
    form,
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    const given = { email: email.value, password: password.value, code: code.value }
    void signIn(given).then(async ({ problem, asksCode }) => {
      await finish(problem)
      if (!asksCode) return
      codeRow.hidden = false
      code.focus()
    })
  })
  notice()?.remove()
  showDialog(dialog, () => {
    if (!isSignedIn) noteSignedOut()
  })
  email.focus()
}
