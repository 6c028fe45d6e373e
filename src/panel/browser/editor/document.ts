interface Policy {
  createHTML(text: string): string
}
interface TrustedTypes {
  createPolicy(name: string, policy: Policy): Policy
}

/** Parsed documents run and load nothing. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('slugline-editor', {
  createHTML: text => text,
})

const aside = 'data-aside-'
const tags = /<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi
const attributes = /"[^"]*"|'[^']*'|(?<=[\s/"'])(?:on[a-z]+|style)(?=\s*=)/gi

/** Renames attributes that a browser would act upon or report while it parses. */
const setAside = (html: string): string =>
  html.replaceAll(tags, tag =>
    tag.replaceAll(attributes, found => (/^["']/.test(found) ? found : `${aside}${found}`)),
  )

/** HTML of a document that was parsed here, with the original attribute names. */
export const asGiven = (html: string): string => html.replaceAll(` ${aside}`, ' ')

/** The style of an element that was parsed here. */
export const styleOf = (element: Element): string => element.getAttribute(`${aside}style`) ?? ''

/** Elements with a style. */
export const styled = `[${aside}style]`

/** Whether a browser would act upon the HTML even if it is only parsed. */
export const isActive = (html: string): boolean => /<(style|svg|math)\b/i.test(html)

/** Returns the body of a document with this HTML. */
export function parsed(html: string): HTMLElement {
  const text = `<!doctype html><body><div>${setAside(html)}`
  const { body } = new DOMParser().parseFromString(policy?.createHTML(text) ?? text, 'text/html')
  const outer = body.firstElementChild
  if (outer) outer.replaceWith(...outer.childNodes)
  return body
}
