interface Policy {
  createHTML(text: string): string
}
interface TrustedTypes {
  createPolicy(name: string, policy: Policy): Policy
}

/** Documents that are only parsed run and load nothing. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('slugline-editor', {
  createHTML: text => text,
})

const aside = 'data-aside-'
const tags = /<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi
const attributes = /"[^"]*"|'[^']*'|(?<=[\s/"'])(?:on[a-z]+|style)(?=\s*=)/gi

/** Attributes that a browser acts upon, or complains of, while it reads them have another name meanwhile. */
const setAside = (html: string): string =>
  html.replaceAll(tags, tag =>
    tag.replaceAll(attributes, found => (/^["']/.test(found) ? found : `${aside}${found}`)),
  )

/** HTML of a document that was parsed here, with the names that it came with. */
export const asGiven = (html: string): string => html.replaceAll(` ${aside}`, ' ')

/** The style of an element that was parsed here. */
export const styleOf = (element: Element): string => element.getAttribute(`${aside}style`) ?? ''

/** Elements with a style. */
export const styled = `[${aside}style]`

/** Whether a browser would act upon it even though it only parses it. */
export const isActive = (html: string): boolean => /<(style|svg|math)\b/i.test(html)

/** The body of a document with this HTML. */
export function parsed(html: string): HTMLElement {
  const text = `<!doctype html><body><div>${setAside(html)}`
  const { body } = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'text/html')
  const outer = body.firstElementChild
  if (outer) outer.replaceWith(...outer.childNodes)
  return body
}
