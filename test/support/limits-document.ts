import { readFileSync } from 'node:fs'
import { limits } from '../../src/limits.js'

const source = readFileSync('src/limits.ts', 'utf8')

/** The comment before a name in the source. */
function commentOf(name: string, after: number): { text: string; at: number } {
  const found = new RegExp(`/\\*\\* ([^\\n]+?) \\*/\\n\\s*${name}: `).exec(source.slice(after))
  if (!found) throw new Error(`${name} in src/limits.ts has no comment`)
  return { text: found[1] ?? '', at: after + found.index }
}

const number = (value: number) => value.toLocaleString('en-US')

function amount(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${number(value / 60_000)} minutes`
  if (!name.endsWith('Bytes')) return number(value)
  if (value >= 2 ** 20) return `${number(value / 2 ** 20)} MiB`
  return value >= 2 ** 10 ? `${number(value / 2 ** 10)} KiB` : `${number(value)} bytes`
}

const unit = (name: string, text: string) =>
  name.endsWith('Characters') && !/^Characters/.test(text) ? ' characters' : ''

/** docs/limits.md, from src/limits.ts. */
export function limitsDocument(): string {
  const sections = Object.entries(limits).map(([name, all]) => {
    const { text: title, at } = commentOf(name, 0)
    const rows = Object.entries(all).map(([name, value]) => {
      const { text } = commentOf(name, at)
      return `| ${text.replace(/\.$/, '')} | ${amount(name, value)}${unit(name, text)} |`
    })
    return [`## ${title}`, '', '| Limit | At most |', '|---|---|', ...rows].join('\n')
  })
  return `# Limits

These limits are fixed. They keep one request from slowing down all others. A request beyond a limit returns an
[error](errors.md) that names the limit.

Other limits are settings: \`max_upload_size\`, \`event_streams_max\`, \`webhook_workers\` and more are in
[Configuration](configuration.md).

This page is generated from \`src/limits.ts\` by \`npm run docs\`.

${sections.join('\n\n')}
`
}
