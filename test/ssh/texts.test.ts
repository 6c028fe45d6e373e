import { describe, expect, it } from 'vitest'
import { terminalTexts } from '../../src/texts/en/terminal.js'
import { texts } from '../../src/texts/text.js'
import { filesOf, literalsIn, sentencesIn, shownTextsIn } from '../support/source-texts.js'

const files = filesOf(/^src\/ssh\//)
/** For programs, for the log, and of an error. */
const others = new Set([
  'SHA256:…',
  '… 1 media media … … …',
  'the tree is still loading',
  'a part of the file is missing: upload it again',
])

describe('the texts of the terminal', () => {
  it('are each in the catalogue once, unless the panel has them', () => {
    const all: readonly string[] = [...texts, ...terminalTexts]
    expect(terminalTexts.filter(text => all.indexOf(text) !== all.lastIndexOf(text))).toEqual([])
  })

  it('are each used in the source', () => {
    const used = literalsIn(files)
    expect(terminalTexts.filter(text => !used.has(text))).toEqual([])
  })

  it('are not written in the source beside the catalogue', () => {
    const beside = [...shownTextsIn(files), ...sentencesIn(files)].filter(({ text }) => !others.has(text))
    expect(beside.map(({ place, text }) => `${place} ${text}`)).toEqual([])
  })
})
