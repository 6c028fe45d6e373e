import { button, element, showDialog } from './elements.js'
import { startFocal } from './focal.js'
import { t } from './text.js'

/** Loaded by the page of a media item alone: its focal point, and the image in its full size. */

function showFull(address: string, alt: string): void {
  const picture = element('img', { src: address, alt })
  const dialog = element('dialog', { class: 'full-size', 'aria-label': t('Full size') })
  const zoom = button(t('Actual size'), () => {
    const isActual = dialog.classList.toggle('actual')
    zoom.setAttribute('aria-pressed', String(isActual))
  })
  zoom.setAttribute('aria-pressed', 'false')
  const frame = element('div', { class: 'frame', tabindex: '0' }, picture)
  const close = button(t('Close'), () => dialog.close())
  dialog.append(element('div', { class: 'actions' }, zoom, close), frame)
  // The dimmed page around the dialog is part of it.
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  showDialog(dialog)
  close.focus()
}

document.addEventListener('click', event => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-full]') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  showFull(link.href, document.querySelector<HTMLImageElement>('.stage img')?.alt ?? '')
})
document.addEventListener('htmx:after:swap', startFocal)
startFocal()
