import { isTyping } from './elements.js'

/** Somebody who has typed nothing for so long has paused. */
const pauseMs = 1500
let [sentAt, typedAt] = [0, Number.NEGATIVE_INFINITY]

/** Whether text is being typed: nothing may take the focus then, or the rest of a word would go elsewhere. */
export const isInText = (): boolean => isTyping(document.activeElement)

/** Whether text was typed after a form was sent. */
export const hasTypedSince = (): boolean => typedAt > sentAt && isInText()

/** Whether nothing has been typed for a moment. */
export const hasPaused = (): boolean => performance.now() - typedAt > pauseMs

/** Starts to note when text is typed. */
export function startTyping(): void {
  const onInput = ({ isTrusted, timeStamp }: Event) => {
    if (isTrusted) typedAt = timeStamp
  }
  document.addEventListener('input', onInput, { capture: true })
  document.addEventListener(
    'submit',
    ({ timeStamp }) => {
      sentAt = timeStamp
    },
    { capture: true },
  )
}
