import { decodeHTML } from 'entities/decode'
import { isFrame } from '../services/content/rich-text/rules.js'

const frame = /<iframe\b[^<>]{0,4000}?\ssrc\s*=\s*["']?([^"'<>\s]{0,4000})/gi

const lost = /<(script|object|embed|form|svg)[\s>/]/gi

/** The names of elements that rich text does not keep, each as often as it occurs. */
export const lostElements = (html: string): string[] =>
  [...html.matchAll(lost)].map(([, name = '']) => name.toLowerCase())

/** The hosts of frames that rich text does not keep, each as often as it occurs. */
export const lostFrames = (html: string): string[] =>
  [...html.matchAll(frame)].flatMap(([, given = '']) => {
    const address = decodeHTML(given)
    if (isFrame(address)) return []
    return URL.canParse(address, 'https://x') ? new URL(address, 'https://x').host : ''
  })
