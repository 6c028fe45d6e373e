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
  frame.querySelector('.focal-dot')?.remove()
  const dot = element('button', { type: 'button', class: 'focal-dot' })
  const draw = () => {
    const [left, top] = [x.value || '50', y.value || '50']
    dot.style.left = `${left}%`
    dot.style.top = `${top}%`
    dot.setAttribute(
      'aria-label',
      t('Focal point, {x} % from the left, {y} % from the top', { x: left, y: top }),
    )
  }
  // A picture that is not shown has no focal point to choose.
  const show = () => {
    if (picture.naturalWidth === 0) return
    frame.append(dot)
    draw()
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
    set(((event.clientX - box.left) / box.width) * 100, ((event.clientY - box.top) / box.height) * 100)
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
  if (picture.complete) show()
  else picture.addEventListener('load', show)
}
