/** Says something to who cannot see it happen. */
export function say(text: string): void {
  const live = document.querySelector('#say')
  if (live) live.textContent = text
}

/** The line of the bar that is always true. */
export function status(text: string): void {
  const line = document.querySelector('#saved')
  if (line) line.textContent = text
}
