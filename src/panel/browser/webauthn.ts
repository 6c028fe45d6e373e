import { element } from './elements.js'
import { t } from './text.js'

const path = '/api/v1/auth/passkeys'

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0))
const textOf = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** A problem in the words of the service or of this page. */
class Problem extends Error {}

async function post<T>(address: string, body?: object): Promise<T> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  if (!answer) throw new Problem(t('No connection.'))
  const got = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Problem(got.error ?? t('The sign-in failed.'))
  return got
}

/** Old browsers have no `parseCreationOptionsFromJSON` and no `toJSON`. */
const withBytes = (list: readonly PublicKeyCredentialDescriptorJSON[] = []) =>
  list.map(({ id }) => ({ type: 'public-key' as const, id: bytesOf(id) }))

function sent(credential: Credential | null) {
  if (!(credential instanceof PublicKeyCredential)) throw new Problem(t('The sign-in failed.'))
  const { id, rawId, type, response } = credential
  const clientDataJSON = textOf(response.clientDataJSON)
  return { response, clientDataJSON, key: { id, rawId: textOf(rawId), type } }
}

async function create(options: PublicKeyCredentialCreationOptionsJSON) {
  const { challenge, user, rp, pubKeyCredParams, timeout, excludeCredentials } = options
  const { response, clientDataJSON, key } = sent(
    await navigator.credentials.create({
      publicKey: {
        ...{ rp, pubKeyCredParams, timeout: timeout ?? 0, attestation: 'none' },
        challenge: bytesOf(challenge),
        user: { ...user, id: bytesOf(user.id) },
        excludeCredentials: withBytes(excludeCredentials),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
      },
    }),
  )
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new Problem(t('The sign-in failed.'))
  return { ...key, response: { clientDataJSON, attestationObject: textOf(response.attestationObject) } }
}

async function get({ challenge, rpId, timeout }: PublicKeyCredentialRequestOptionsJSON) {
  const { response, clientDataJSON, key } = sent(
    await navigator.credentials.get({
      publicKey: {
        challenge: bytesOf(challenge),
        userVerification: 'required',
        ...(rpId !== undefined && { rpId }),
        ...(timeout !== undefined && { timeout }),
      },
    }),
  )
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new Problem(t('The sign-in failed.'))
  const { authenticatorData, signature, userHandle } = response
  return {
    ...key,
    response: {
      clientDataJSON,
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle && textOf(userHandle),
    },
  }
}

function problemOf(error: unknown): string {
  if (error instanceof Problem) return error.message
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'InvalidStateError') return t('This device already has a passkey of your account.')
  if (name === 'NotAllowedError') return t('Cancelled, or it took too long.')
  return t('The browser has refused: {problem}', { problem: String(error) })
}

async function show(place: Element | null, work: () => Promise<string>): Promise<void> {
  const told = place?.querySelector('[role=alert]')
  if (told) told.textContent = ''
  try {
    location.assign(await work())
  } catch (error) {
    if (told) told.textContent = problemOf(error)
  }
}

/** Signs in with a passkey, and goes to the page that the button names. */
const signIn = (pressed: HTMLElement): Promise<void> =>
  show(pressed.closest('[data-passkey]'), async () => {
    const credential = await get(await post(`${path}/login/options`))
    await post(`${path}/login`, { credential })
    return pressed.dataset.passkeyTo ?? '/admin'
  })

/** Makes a passkey, adds it to the account, and shows the page again. */
const add = (form: HTMLFormElement): Promise<void> =>
  show(form, async () => {
    const { name, ...shown } = Object.fromEntries(
      [...new FormData(form)].filter(([member]) => ['name', 'current_password', 'code'].includes(member)),
    )
    const credential = await create(await post(`${path}/options`, shown))
    await post(path, { name, credential })
    return form.dataset.passkeyAdd ?? '/admin'
  })

/** Says why there are no passkeys, in place of a button that could do nothing. */
function explain(): void {
  if ('PublicKeyCredential' in window) return
  const words = isSecureContext ? t('This browser has no passkeys.') : t('Passkeys need HTTPS.')
  for (const place of document.querySelectorAll('[data-passkey]'))
    place.replaceWith(element('p', { class: 'meta' }, words))
}

document.addEventListener('click', ({ target }) => {
  const pressed = target instanceof Element && target.closest<HTMLElement>('[data-passkey-to]')
  if (pressed) void signIn(pressed)
})
document.addEventListener('submit', event => {
  const { target: form } = event
  if (!(form instanceof HTMLFormElement && form.dataset.passkeyAdd)) return
  event.preventDefault()
  void add(form)
})
document.addEventListener('htmx:after:swap', explain)
explain()
