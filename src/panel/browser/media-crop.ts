import { element } from './elements.js'
import { say } from './say.js'
import { t } from './text.js'

/**
 * Loaded by the page that crops an image: a rectangle over the image, moved and resized by pointer and keys. The four
 * numbers of the form are its only state.
 */

interface Part {
  x: number
  y: number
  width: number
  height: number
}
interface Point {
  x: number
  y: number
}

const names = ['x', 'y', 'width', 'height'] as const
const presets = [
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['16:9', 16 / 9],
] as const
const handles = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const
type Handle = (typeof handles)[number]

const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), Math.max(0, most))

/** Returns the part between two points, of a ratio if it has one, that is inside the image. */
function spanned(image: Part, from: Point, to: Point, ratio: number | undefined): Part {
  const [right, down] = [to.x >= from.x, to.y >= from.y]
  const room = { width: right ? image.width - from.x : from.x, height: down ? image.height - from.y : from.y }
  let width = Math.min(Math.abs(to.x - from.x), room.width)
  let height = Math.min(Math.abs(to.y - from.y), room.height)
  if (ratio !== undefined) {
    width = Math.min(Math.max(width, height * ratio), room.width, room.height * ratio)
    height = width / ratio
  }
  return { x: right ? from.x : from.x - width, y: down ? from.y : from.y - height, width, height }
}

/** Returns a part of a ratio, as wide as another one and with the same middle as far as the edges allow. */
function ofRatio(image: Part, ratio: number, { x, y, width, height }: Part): Part {
  const own = Math.min(width, image.width, image.height * ratio)
  const size = { width: own, height: own / ratio }
  return {
    x: clamp(x + (width - size.width) / 2, image.width - size.width),
    y: clamp(y + (height - size.height) / 2, image.height - size.height),
    ...size,
  }
}

/** The corner that stays while a handle is dragged. */
const cornerOpposite = (handle: Handle, { x, y, width, height }: Part): Point => ({
  x: handle.includes('w') ? x + width : x,
  y: handle.includes('n') ? y + height : y,
})

/** The rectangle over an image. */
class Selection {
  private readonly image: Part
  private readonly box = element('button', {
    type: 'button',
    class: 'crop-box',
    'aria-describedby': 'crop-keys',
  })
  private ratio: number | undefined

  constructor(
    private readonly picture: HTMLImageElement,
    private readonly inputs: readonly HTMLInputElement[],
  ) {
    const side = (name: string) => Number(picture.getAttribute(name))
    this.image = { x: 0, y: 0, width: side('width'), height: side('height') }
    for (const handle of handles) this.box.append(element('span', { class: handle, 'data-handle': handle }))
  }

  mount(frame: HTMLElement): void {
    followPointers(
      this.box,
      event => this.pointOf(event),
      (from, handle) => this.dragged(from, handle),
    )
    this.box.addEventListener('keydown', event => this.onKey(event))
    for (const input of this.inputs) input.addEventListener('input', () => this.draw())
    frame.append(this.box)
    frame.before(ratioChoice(ratio => this.choose(ratio)))
    this.draw()
  }

  private get part(): Part {
    const [x = 0, y = 0, width = 0, height = 0] = this.inputs.map(({ value }) => Number(value))
    return { x, y, width, height }
  }

  private set(wanted: Part): void {
    const width = Math.round(clamp(wanted.width, this.image.width)) || 1
    const height = Math.round(clamp(wanted.height, this.image.height)) || 1
    const x = Math.round(clamp(wanted.x, this.image.width - width))
    const y = Math.round(clamp(wanted.y, this.image.height - height))
    for (const [at, value] of [x, y, width, height].entries()) {
      const input = this.inputs[at]
      if (input) input.value = String(value)
    }
    this.draw()
  }

  private draw(): void {
    const { x, y, width, height } = this.part
    const percent = (value: number, whole: number) => `${(value / whole) * 100}%`
    this.box.style.left = percent(x, this.image.width)
    this.box.style.top = percent(y, this.image.height)
    this.box.style.width = percent(width, this.image.width)
    this.box.style.height = percent(height, this.image.height)
    const sides = { width, height, x, y }
    this.box.setAttribute(
      'aria-label',
      t('Selection: {width} × {height} pixels, {x} from the left, {y} from the top', sides),
    )
  }

  private choose(ratio: number | undefined): void {
    this.ratio = ratio
    this.box.classList.toggle('has-ratio', ratio !== undefined)
    if (ratio !== undefined) this.set(ofRatio(this.image, ratio, this.part))
  }

  private pointOf(event: PointerEvent): Point {
    const { left, top, width, height } = this.picture.getBoundingClientRect()
    return {
      x: clamp(((event.clientX - left) / width) * this.image.width, this.image.width),
      y: clamp(((event.clientY - top) / height) * this.image.height, this.image.height),
    }
  }

  /** Returns what follows the pointer from its press on. */
  private dragged(from: Point, handle: Handle | undefined): (to: Point) => void {
    const { image, part: before } = this
    if (handle) return this.draggedBy(handle, before)
    // There is no place to move the whole image to, so a new selection begins.
    if (before.width === image.width && before.height === image.height)
      return to => this.set(spanned(image, from, to, this.ratio))
    return to => this.set({ ...before, x: before.x + to.x - from.x, y: before.y + to.y - from.y })
  }

  private draggedBy(handle: Handle, before: Part): (to: Point) => void {
    const fixed = cornerOpposite(handle, before)
    const [isAcross, isDown] = [!'ns'.includes(handle), !'ew'.includes(handle)]
    return to => {
      const x = isAcross ? to.x : before.x + before.width
      const y = isDown ? to.y : before.y + before.height
      this.set(spanned(this.image, fixed, { x, y }, this.ratio))
    }
  }

  private onKey(event: KeyboardEvent): void {
    const { image, part } = this
    const step = Math.max(1, Math.round(Math.max(image.width, image.height) / 100))
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    }
    const move = moves[event.key]
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const [across, down] = move
    if (event.shiftKey) this.set(resized(image, part, move, this.ratio))
    else this.set({ ...part, x: part.x + across, y: part.y + down })
    say(this.box.getAttribute('aria-label') ?? '')
  }
}

/** Returns a part whose lower right corner is moved; with a ratio either key changes both sides. */
function resized(image: Part, part: Part, [across, down]: [number, number], ratio: number | undefined): Part {
  const { x, y, width, height } = part
  if (ratio === undefined)
    return {
      x,
      y,
      width: Math.min(Math.max(1, width + across), image.width - x),
      height: Math.min(Math.max(1, height + down), image.height - y),
    }
  const wanted = Math.max(1, width + across + down)
  const own = Math.min(wanted, image.width - x, (image.height - y) * ratio)
  return { x, y, width: own, height: own / ratio }
}

/** Follows a pointer from press to release. */
function followPointers(
  box: HTMLElement,
  pointOf: (event: PointerEvent) => Point,
  begin: (from: Point, handle: Handle | undefined) => (to: Point) => void,
): void {
  let follow: ((to: Point) => void) | undefined
  box.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    const handle = event.target instanceof HTMLElement ? event.target.dataset.handle : undefined
    follow = begin(
      pointOf(event),
      handles.find(one => one === handle),
    )
    box.setPointerCapture(event.pointerId)
  })
  box.addEventListener('pointermove', event => {
    if (box.hasPointerCapture(event.pointerId)) follow?.(pointOf(event))
  })
  box.addEventListener('lostpointercapture', () => {
    follow = undefined
  })
}

/** Returns the choice of a ratio. */
function ratioChoice(choose: (ratio: number | undefined) => void): HTMLElement {
  const group = element('fieldset', { class: 'ratios' }, element('legend', {}, t('Ratio')))
  for (const [word, ratio] of [[t('Free'), undefined], ...presets] as const) {
    const input = element('input', { type: 'radio', name: 'ratio' })
    input.checked = ratio === undefined
    input.addEventListener('change', () => choose(ratio))
    group.append(element('label', {}, input, word))
  }
  return group
}

const frame = document.querySelector<HTMLElement>('[data-crop]')
const picture = frame?.querySelector('img')
const inputs = names.flatMap(name => document.querySelector<HTMLInputElement>(`#f-${name}`) ?? [])
if (frame && picture && inputs.length === names.length) new Selection(picture, inputs).mount(frame)
