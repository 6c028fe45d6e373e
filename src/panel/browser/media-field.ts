import type { Chosen } from './chosen.js'
import { button, element } from './elements.js'
import { say } from './say.js'
import { takeFiles, upload, uploadAddress } from './send-file.js'
import { t } from './text.js'

const largest = 240

function framed(address: string, focal: string | undefined): HTMLElement {
  const image = element('img', { src: address, alt: '' })
  const frame = element('span', { class: 'frame' }, image)
  image.addEventListener('load', () => {
    const { naturalWidth, naturalHeight } = image
    const scale = Math.min(1, largest / naturalWidth, largest / naturalHeight)
    frame.style.inlineSize = `${naturalWidth * scale}px`
    const [x, y] = focal?.split(' ') ?? []
    if (x === undefined || y === undefined) return
    const dot = element('span', { class: 'focal-dot', 'aria-hidden': 'true' })
    dot.style.left = `${x}%`
    dot.style.top = `${y}%`
    frame.append(dot)
  })
  return frame
}

/** Returns a chosen file with a picture large enough to recognise it. */
export function largeOf({ word, hint, picture, preview, focal }: Chosen): HTMLElement {
  const row = element('div', { class: 'media-large' })
  const address = preview ?? picture
  if (address) row.append(framed(address, focal))
  const about = element('div', { class: 'about' }, element('span', { class: 'choice-word' }, word))
  if (hint) about.append(element('span', { class: 'hint' }, hint))
  row.append(about)
  return row
}

interface Shown {
  readonly rows: readonly HTMLElement[]
  readonly open: HTMLElement
  readonly isMany: boolean
  add(chosen: Chosen): void
}

interface Places {
  readonly words: HTMLElement
  readonly problems: HTMLElement
  readonly open: HTMLElement
  readonly isMany: boolean
  add(chosen: Chosen): void
}

const placesOf = new WeakMap<HTMLElement, Places>()

/** Shows the files of a media field, and accepts dropped files. */
export function showMedia(host: HTMLElement, { rows, open, isMany, add }: Shown): void {
  const problems = placesOf.get(host)?.problems ?? element('div', { class: 'media-problem' })
  const [row] = rows
  const takesFiles = uploadAddress() !== undefined
  const hasOne = row !== undefined && !isMany
  const words = element('span', {}, hasOne ? '' : isMany ? t('Drop files here') : t('Drop a file here'))
  if (hasOne) {
    row.querySelector('.row-actions')?.prepend(open)
    open.classList.add('small')
    host.replaceChildren(row, words, problems)
  } else {
    const drop = element('div', { class: 'media-drop' }, open, ...(takesFiles ? [words] : []), problems)
    drop.classList.toggle('rows-above', rows.length > 0)
    host.replaceChildren(...rows, drop)
  }
  if (!takesFiles) return
  if (!placesOf.has(host)) takeFiles(host, files => void take(host, files))
  placesOf.set(host, { words, problems, open, isMany, add })
}

async function take(host: HTMLElement, files: readonly File[]): Promise<void> {
  const { isMany = false, problems } = placesOf.get(host) ?? {}
  if (!isMany) problems?.replaceChildren()
  for (const file of isMany ? files : files.slice(0, 1)) {
    const tell = (text: string) => {
      const words = placesOf.get(host)?.words
      if (words) words.textContent = text
    }
    const before = placesOf.get(host)?.words.textContent ?? ''
    const { name } = file
    const progress = (part: number) => tell(t('{name}: Uploading {n} %', { name, n: Math.round(part * 100) }))
    progress(0)
    say(t('Uploading {name}', { name }))
    try {
      placesOf.get(host)?.add(await upload('media', file, { progress }))
      say(t('{name} is uploaded', { name }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const problem = t('{name} was not uploaded: {problem}', { name, problem: reason })
      tell(before)
      problems?.append(failureOf(host, file, problem))
      say(problem)
    }
  }
}

function failureOf(host: HTMLElement, file: File, problem: string): HTMLElement {
  const line = element('p', {}, `${problem} `)
  const again = () => {
    line.remove()
    placesOf.get(host)?.open.focus()
    void take(host, [file])
  }
  const retry = button(t('Retry'), again, 'small')
  retry.setAttribute('aria-label', t('Retry {name}', { name: file.name }))
  line.append(retry)
  return line
}
