import { element } from './elements.js'
import { t } from './text.js'

const clamp = (value: number) => Math.min(100, Math.max(0, Math.round(value)))

/** A dot for the focal point of a picture, moved by pointer and arrow keys. The form still has the two numbers. */
export function startFocal(): void {
  const frame = document.querySelector<HTMLElement>('[data-focal]')
  const fields = (['x', 'y'] as const).map(axis =>
    document.querySelector<HTMLInputElement>(`#f-focal_${axis}`),
  )
  const picture = frame?.querySelector('img')
  const [x, y] = fields
  if (!frame || !picture || !x || !y) return
  const dot = element('button', { type: 'button', class: 'focal-dot' })
  /** The position of the picture inside its frame, which shows it whole. */
  const shown = () => {
    const { naturalWidth = 1, naturalHeight = 1, clientWidth, clientHeight } = picture
    const scale = Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight)
    const [width, height] = [naturalWidth * scale, naturalHeight * scale]
    return { left: (clientWidth - width) / 2, top: (clientHeight - height) / 2, width, height }
  }
  const draw = () => {
    // A picture that is not shown has no position.
    if (picture.naturalWidth === 0) return
    const { left, top, width, height } = shown()
    dot.style.left = `${left + (width * Number(x.value || 50)) / 100}px`
    dot.style.top = `${top + (height * Number(y.value || 50)) / 100}px`
    dot.setAttribute(
      'aria-label',
      t('Focal point, {x} % from the left, {y} % from the top', { x: x.value || 50, y: y.value || 50 }),
    )
    if (!dot.isConnected) frame.append(dot)
  }
  const set = (left: number, top: number) => {
    x.value = String(clamp(left))
    y.value = String(clamp(top))
    x.dispatchEvent(new Event('input', { bubbles: true }))
    draw()
  }
  dot.addEventListener('pointerdown', event => dot.setPointerCapture(event.pointerId))
  dot.addEventListener('pointermove', event => {
    if (!dot.hasPointerCapture(event.pointerId)) return
    const box = picture.getBoundingClientRect()
    const { left, top, width, height } = shown()
    set(((event.clientX - box.left - left) / width) * 100, ((event.clientY - box.top - top) / height) * 100)
  })
  dot.addEventListener('keydown', event => {
    const step = event.shiftKey ? 10 : 1
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    set(Number(x.value || 50) + move[0], Number(y.value || 50) + move[1])
  })
  for (const field of [x, y]) field.addEventListener('input', draw)
  if (picture.complete) draw()
  else picture.addEventListener('load', draw)
}
