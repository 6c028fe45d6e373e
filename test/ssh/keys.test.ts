import { afterEach, expect, it, vi } from 'vitest'
import { type Key, Keys } from '../../src/ssh/screen/keys.js'

afterEach(() => {
  vi.useRealTimers()
})

/** What keys come of packets. */
function keysOf(...packets: (string | Buffer)[]) {
  const found: Key[] = []
  const keys = new Keys(key => found.push(key))
  for (const packet of packets) keys.feed(Buffer.from(packet))
  return { found, keys, names: () => found.map(key => (key.type === 'key' ? key.key : key)) }
}

it('takes several keys of one packet', () => {
  expect(keysOf('ab\x1b[A\x1bOB\r\x7f\x13\x1b[5~\x1b[Z').names()).toEqual([
    'a',
    'b',
    'up',
    'down',
    'enter',
    'backspace',
    'ctrl+s',
    'pageup',
    'backtab',
  ])
  expect(keysOf('\x1b[1;5C\x1b[3;2~\x1bx\x1b[H').names()).toEqual([
    'ctrl+right',
    'shift+delete',
    'alt+x',
    'home',
  ])
})

it('takes a key of several packets', () => {
  expect(keysOf('\x1b', '[', 'A').names()).toEqual(['up'])
  const letter = Buffer.from('é日👩‍👩‍👧')
  expect(keysOf(letter.subarray(0, 1), letter.subarray(1, 3), letter.subarray(3)).names()).toEqual([
    'é',
    '日',
    '👩‍👩‍👧',
  ])
})

it('knows an escape by the time after it', () => {
  vi.useFakeTimers()
  const { names } = keysOf('\x1b')
  expect(names()).toEqual([])
  vi.advanceTimersByTime(39)
  expect(names()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(names()).toEqual(['escape'])
})

it('tells a paste from keys', () => {
  const { found } = keysOf('\x1b[200~one\r\ntwo\x1b[A', '\x1b[20', '1~q')
  expect(found).toEqual([
    { type: 'paste', text: 'one\ntwo\x1b[A' },
    { type: 'key', key: 'q', text: 'q' },
  ])
})

it('drops what no key sends', () => {
  expect(keysOf('\x1b[99;99;99zq').names()).toEqual(['q'])
  expect(keysOf('\x1b[<1;10;10Mq').names()).toEqual(['q'])
  expect(keysOf(`\x1b[${'1;'.repeat(40)}`, 'q').names()).toContain('q')
  expect(keysOf(Buffer.from([0xff, 0xfe, 0x61])).names()).toEqual(['\ufffd', '\ufffd', 'a'])
})

it('takes random bytes', () => {
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7919 + (i >> 3)) & 0xff))
  const { keys } = keysOf()
  for (let at = 0; at < bytes.length; at += 7) keys.feed(bytes.subarray(at, at + 7))
  keys.stop()
})
