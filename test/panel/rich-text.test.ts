import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { parseRichText } from '../../src/services/content/rich-text/parse.js'
import { type Child, kept } from '../../src/services/content/rich-text/rules.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { amount } from '../support/effort.js'
import { richTexts } from '../support/rich-texts.js'

const app = await testApp()
const documents = amount(2000, 10_000)
const batch = 250

const one: Readonly<Record<string, string>> = { b: 'strong', i: 'em', ins: 'u', del: 's', strike: 's' }
const marks = new Set('a strong em u s sub sup code'.split(' '))

type Piece = { text: string; marks: string } | { tag: string }

/** White space as a browser shows it: one blank, and none at the ends of a line. */
function collapsed(pieces: readonly Piece[]): Piece[] {
  const shown: Piece[] = []
  const isLineEnd = (piece: Piece | undefined) => !piece || ('tag' in piece && !piece.tag.startsWith('<img'))
  const trimEnd = () => {
    for (let last = shown.at(-1); last && 'text' in last && last.text.endsWith(' '); last = shown.at(-1)) {
      last.text = last.text.slice(0, -1)
      if (last.text !== '') return
      shown.pop()
    }
  }
  for (const piece of pieces) {
    const last = shown.at(-1)
    if ('tag' in piece) {
      if (isLineEnd(piece)) trimEnd()
      shown.push(piece)
      continue
    }
    const isAfterBlank = isLineEnd(last) || (last && 'text' in last && last.text.endsWith(' '))
    const text = isAfterBlank ? piece.text.replace(/^ /, '') : piece.text
    if (last && 'text' in last && last.marks === piece.marks) last.text += text
    else if (text !== '') shown.push({ ...piece, text })
  }
  trimEnd()
  return shown.filter(piece => !('tag' in piece && piece.tag === 'p'))
}

/**
 * What a reader sees: blocks with their attributes, and texts with what they are marked as. A text alone is the same as
 * a paragraph. It is read by the server's own reader.
 */
function seen(html: string): Piece[] {
  const pieces: Piece[] = []
  const visit = (node: Child, within: readonly string[]): void => {
    const marked = [...new Set(within)].toSorted().join()
    if (node.type === 'text') {
      pieces.push({ text: node.value.replaceAll(/[ \t\r\n\f]+/g, ' '), marks: marked })
      return
    }
    const name = one[node.tagName] ?? node.tagName
    const attributes = Object.entries(node.properties)
      .filter(([key, value]) => !((key === 'colspan' || key === 'rowspan') && value === '1'))
      .toSorted()
    const told = `${name} ${JSON.stringify(attributes)}`
    const isNothing = (name === 'span' || name === 'a') && attributes.length === 0
    if (isNothing || marks.has(name) || name === 'span') {
      for (const child of node.children) visit(child, isNothing ? within : [...within, told])
    } else if (name === 'pre') pieces.push({ tag: JSON.stringify(node) })
    else if (name === 'br' || name === 'img') pieces.push({ tag: `<${told} ${marked}` })
    else {
      pieces.push({ tag: name === 'p' && attributes.length === 0 ? name : `<${told}` })
      for (const child of node.children) visit(child, within)
      pieces.push({ tag: name === 'p' ? name : `</${name}` })
    }
  }
  for (const child of parseRichText(html).root.children) visit(child, [])
  return collapsed(pieces)
}

interface Opened {
  saved: string
  again: string
  kept: number
}

async function editorIn(page: Page): Promise<(texts: readonly string[]) => Promise<Opened[]>> {
  const at = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../src/panel/browser/editor/${name}.ts`, import.meta.url)))
  const { outputFiles } = await build({
    stdin: {
      contents: `import { open } from ${at('open')}; import { save } from ${at('save')}; import { schema } from ${at('schema')}
        globalThis.opened = texts => texts.map(text => {
          const doc = open(text); doc.check(); const saved = save(doc); let kept = 0
          doc.descendants(node => { if (node.type.name === 'opaque') kept++ })
          return { saved, again: save(open(saved)), kept }
        })
        globalThis.elements = () => [...Object.values(schema.nodes), ...Object.values(schema.marks)].flatMap(({ spec }) => (spec.parseDOM ?? []).flatMap(({ tag }) => tag ?? []))`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    write: false,
  })
  await page.goto('about:blank')
  await page.evaluate(outputFiles[0]?.text ?? '')
  return texts => page.evaluate(`opened(${JSON.stringify(texts)})`)
}

describe.skipIf(chromiumMissing)(
  `rich text that is opened and saved${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it(`says the same in ${documents} documents of what is allowed`, async () => {
      const { page } = await panel()
      const opened = await editorIn(page)
      const next = richTexts(20_261_122)
      let asTheyAre = 0
      const found = new Set<string>()
      for (let at = 0; at < documents; at += batch) {
        const texts = Array.from({ length: batch }, next)
        for (const [i, { saved, again, kept }] of (await opened(texts)).entries()) {
          const text = texts[i] ?? ''
          for (const [, name = ''] of text.matchAll(/<(\w+)/g)) found.add(name)
          asTheyAre += kept
          expect([text, seen(saved)]).toEqual([text, seen(text)])
          expect([text, again]).toEqual([text, saved])
        }
      }
      expect([...found].toSorted()).toEqual([...kept.keys()].toSorted())
      expect(asTheyAre).toBeLessThan(documents / 20)
    }, 300_000)
  },
)
