/** The address of the script for passkeys, which the build puts in, so that no page can name another one. */
declare const webauthnAddress: string

type Webauthn = typeof import('./webauthn.js')

let loading: Promise<Webauthn> | undefined

function load(): Promise<Webauthn> {
  loading ??= (import(webauthnAddress) as Promise<Webauthn>).catch(error => {
    loading = undefined
    throw error
  })
  return loading
}

function mount(): void {
  if (document.querySelector('[data-passkey]'))
    void load().then(
      ({ explain }) => explain(),
      () => undefined,
    )
}

/** Loads the script for passkeys where a page has a part for them. */
export function startPasskeys(): void {
  mount()
  document.addEventListener('htmx:after:swap', mount)
  document.addEventListener('click', ({ target }) => {
    const pressed = target instanceof Element && target.closest<HTMLElement>('[data-passkey-to]')
    if (pressed) void load().then(({ signIn }) => signIn(pressed))
  })
  document.addEventListener('submit', event => {
    const { target: form } = event
    if (!(form instanceof HTMLFormElement && form.dataset.passkeyAdd)) return
    event.preventDefault()
    void load().then(({ add }) => add(form))
  })
}
