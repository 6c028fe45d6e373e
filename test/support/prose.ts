import writeGood from 'write-good'

/** A way to write that a reader must decode, and the words for it. */
interface Rule {
  find: RegExp
  say: string
}

const rules: readonly Rule[] = [
  { find: /\b(?:is|are|was|were|of|has|have|by|for) none\b/gi, say: 'use "no X", "not" or "without"' },
  {
    find: /\b(?:is|are|was|were) (?:an)?other(?: now| than|(?=[.,)]))/gi,
    say: 'use "different" or "changed"',
  },
  { find: /\b(?:is|are|was|were|be) told\b/gi, say: 'say who reports, shows or returns it' },
  { find: /\bcalled so\b/gi, say: 'use "with this name"' },
  {
    find: /(?<!\b(?:there|this|it|that) )\b(?:is|are) no (?!longer\b|more\b|such\b|need\b|way\b|one\b|[a-z]+er\b)[a-z]+/gi,
    say: 'use "is not a"',
  },
  { find: /\bthat there (?:is|are)(?: not| none)?\b/gi, say: 'use "existing" or "missing"' },
  {
    find: /\b(?:to|of|for|by|with) (?:who|whoever|what) (?:is|are|was|were|has|have|works|comes|asks|reads|may|can)\b/gi,
    say: 'name the person or the thing',
  },
  { find: /\bgo(?:es)? along\b/gi, say: 'use "is included"' },
  { find: /\b(?:is|are|has|of|at most) so (?:many|much|few)\b/gi, say: 'give the number' },
  {
    find: /\b(?:is|are|as) what (?:it|they|is|was|are|were) (?:was|were|is|are|not|there)\b/gi,
    say: 'use "unchanged"',
  },
  {
    find: /\b(?:nobody|nothing) (?:is|was) (?:told|called|found|known|kept|read|said)\b/gi,
    say: 'say who does what',
  },
  { find: /\btells? of\b/gi, say: 'use "reports" or "describes"' },
  { find: /\b(?:take|takes|taken|took) back\b/gi, say: 'use "unpublish", "undo" or "cancel"' },
  {
    find: /\bwhat(?:ever)? (?:waits|goes wrong|it is not)\b/gi,
    say: 'use "unpublished changes" or "errors"',
  },
  { find: /\b(?:whence|whereof|thereof|wherein|hitherto|thereby)\b/gi, say: 'use plain words' },
]

/** A sentence with more words than this is split. Words in parentheses do not count. */
const longest = 30

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')

/** The prose of a Markdown page in its places: code, addresses, tags and tables are blank. */
function proseOf(markdown: string): string {
  let codes = 0
  return markdown
    .replaceAll(/^```.*?^```$/gms, blank)
    .replaceAll(/^\|.*$/gm, blank)
    .replaceAll(/^---\n.*?^---$/gms, blank)
    .replaceAll(/`[^`\n]*`/g, code => `C${codes++ % 10}${blank(code).slice(2)}`)
    .replaceAll(/\]\([^)]*\)|<[^>]+>/g, blank)
    .replaceAll(/^#+ .*$/gm, heading => `${heading.slice(0, -1)}.`)
}

interface Found {
  index: number
  offset: number
}

const matches = (text: string, find: RegExp): Found[] =>
  [...text.matchAll(find)].map(({ index, 0: words }) => ({ index, offset: words.length }))

/** Sentences end with a full stop, at a list item or at an empty line. */
const longSentences = (text: string): Found[] =>
  [...text.matchAll(/(?:[^.!?:;\n]|[.:](?=\S)|\n(?!\s*(?:[-*>]|\d+\.) |\s*\n))+/g)]
    .filter(
      ([sentence]) => (sentence.replaceAll(/\([^)]*\)/g, '').match(/[\p{L}\d'’-]+/gu) ?? []).length > longest,
    )
    .map(({ index, 0: sentence }) => ({
      index: index + sentence.length - sentence.trimStart().length,
      offset: 60,
    }))

const checks = Object.fromEntries([
  ...rules.map(({ find, say }) => [say, { fn: (text: string) => matches(text, find), explanation: say }]),
  ['long', { fn: longSentences, explanation: `has more than ${longest} words: split the sentence` }],
])

/** The standard checks of write-good that fit technical documents: repeated words and cliches. */
const standard = {
  passive: false,
  so: false,
  thereIs: false,
  weasel: false,
  adverb: false,
  tooWordy: false,
}

/** The problems of a page as `line:column "words" what to do`. */
export function proseProblems(markdown: string): string[] {
  const text = proseOf(markdown)
  return [...writeGood(text, standard), ...writeGood(text, { checks })].map(({ index, offset, reason }) => {
    const before = text.slice(0, index).split('\n')
    const words = markdown.slice(index, index + offset).replaceAll(/\s+/g, ' ')
    return `${before.length}:${(before.at(-1) ?? '').length + 1} "${words}" ${reason.slice(offset + 3)}`
  })
}
