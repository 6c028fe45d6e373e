/** Announces a text to screen readers. */
export function say(text: string): void {
  const live = document.querySelector('#say')
  if (live) live.textContent = text
}

/** Sets the state in the bar, which must always be true. */
export function status(text: string): void {
  const line = document.querySelector('#saved')
  if (line) line.textContent = text
}
