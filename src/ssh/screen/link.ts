/** Some terminals refuse longer addresses. */
const longest = 2000
const schemes = new Set(['http:', 'https:', 'mailto:'])

/**
 * Returns an address as the target of a hyperlink: printable ASCII without blanks, so that no character of it can end
 * the sequence or begin another one.
 * @returns undefined for other schemes, for a text that is not an address, and for an address that is too long
 */
export function targetOf(address: string): string | undefined {
  if (address.length > longest || !URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  if (!schemes.has(protocol)) return undefined
  const target = href.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent)
  return target.length > longest ? undefined : target
}

/** Whether a text is an address of the web as a whole. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text)

/** A short name of a target. Cells with the same name and target are one link, also if they were sent apart. */
function nameOf(target: string): string {
  let hash = 0
  for (let i = 0; i < target.length; i++) hash = (hash * 31 + target.charCodeAt(i)) >>> 0
  return hash.toString(36)
}

/** Returns the sequence (OSC 8) that begins a hyperlink, or ends it if there is no target. */
export const linkSequence = (target: string | undefined, name = target && nameOf(target)): string =>
  target === undefined ? '\x1b]8;;\x1b\\' : `\x1b]8;id=${name};${target}\x1b\\`
