// Tries the product on several servers that it starts itself, prints a table of what is wanted and what was found, and
// exits with 1 if a line is broken: `node bench/trials/run.mjs <trial> [--seconds N] [--previous DIR] [--entries N]
// [--cuts N] [--seed N] [--pages N] [--share N] [--parts NAMES] [--strapi DIR] [--suite FILE]`.
// TRIAL_KEEP=1 keeps its files and logs. It needs `npm run build` and the programs of each trial: docs/scaling.md names them.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Judgement } from './judgement.mjs'
import { endAll } from './programs.mjs'

const trials = [
  'patroni',
  'galera',
  'varnish',
  'workers',
  'standby',
  'million',
  'browsers',
  'follow',
  'imports',
  'twin',
  'groq',
]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    previous: { type: 'string' },
    entries: { type: 'string' },
    pages: { type: 'string' },
    edits: { type: 'string' },
    engine: { type: 'string' },
    database: { type: 'string' },
    parts: { type: 'string' },
    cuts: { type: 'string' },
    share: { type: 'string' },
    seed: { type: 'string' },
    strapi: { type: 'string' },
    suite: { type: 'string' },
  },
})
const [name] = positionals
if (!trials.includes(name)) {
  process.stderr.write(`node bench/trials/run.mjs ${trials.join('|')} [--seconds N] [--previous DIR]\n`)
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void endAll().finally(() => process.exit(1)))

// A part of a trial that fails beside the others ends it too.
process.once('unhandledRejection', error => {
  process.stderr.write(`${error.stack}\n`)
  void endAll().finally(() => process.exit(1))
})

const judgement = new Judgement()
let code = 0
try {
  const { trial } = await import(`./${name}.mjs`)
  const number = text => (text === undefined ? undefined : Number(text))
  await trial(judgement, {
    ...values,
    seconds: number(values.seconds),
    entries: number(values.entries),
    pages: number(values.pages),
    edits: number(values.edits),
    cuts: number(values.cuts),
    share: number(values.share),
    seed: number(values.seed),
  })
} catch (error) {
  process.stderr.write(`${error.stack}\n`)
  code = 1
}
await endAll()
judgement.add('load of the machine at the end', '', loadavg()[0].toFixed(1))
process.stdout.write(`\n${name}\n`)
judgement.print()
process.exit(code === 1 || judgement.isBroken ? 1 : 0)
