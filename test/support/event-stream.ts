import { onTestFinished } from 'vitest'

/** An event as it was received. */
export interface ReceivedEvent {
  id: string | undefined
  event: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came
  data: any
}

function parsed(block: string): ReceivedEvent | undefined {
  const members = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trimStart()]
    }),
  )
  const data = members.get('data')
  if (data === undefined) return undefined
  return { id: members.get('id'), event: members.get('event'), data: JSON.parse(data) }
}

/** Reads a body of server-sent events as it arrives. */
export function eventReader(answer: Response) {
  const reader = answer.body?.getReader()
  if (!reader) throw new Error('there is no body')
  const decoder = new TextDecoder()
  let text = ''
  let beats = 0
  const close = () => reader.cancel().catch(() => undefined)
  onTestFinished(close)
  return {
    /** Returns the next event; undefined at the end of the stream. */
    async next(): Promise<ReceivedEvent | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const block = text.slice(0, end)
          text = text.slice(end + 2)
          if (block.startsWith(':')) beats++
          const event = parsed(block)
          if (event) return event
          continue
        }
        const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
    },
    beats: () => beats,
    close,
  }
}
