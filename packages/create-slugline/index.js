#!/usr/bin/env node
// npm create slugline my-site -- --template next
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { starters } from './starters.js'

const templates = new URL('templates/', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** The repository, if this is the package in a copy of it. Then nothing of it is read from the registry. */
const repository = fileURLToPath(new URL('../../', import.meta.url))
const isInRepository = existsSync(join(repository, 'examples/eleventy/seed.mjs'))

const names = Object.keys(starters)

const usage = `Usage: npm create slugline [folder] -- [--template ${names.join('|')}]

Creates a folder with a site in two languages and the configuration of an empty Slugline service.
`

function stop(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** The given arguments, or undefined after a wrong one. */
function given() {
  const options = { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } }
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    return stop(`${error.message}\n\n${usage}`)
  }
}

/** Asks for what is missing. Without a terminal there is nobody to ask. */
async function asked({ folder, template }) {
  if (folder && template) return { folder, template }
  if (!process.stdin.isTTY) return stop(`Name a folder and a template.\n\n${usage}`)
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answers = {
    folder: folder || (await lines.question('Folder (my-site): ')).trim() || 'my-site',
    template: template || (await lines.question(`Starter (${names.join(', ')}): `)).trim().toLowerCase(),
  }
  lines.close()
  return answers
}

const json = value => `${JSON.stringify(value, null, 2)}\n`

/** The service: SQLite and a folder for media, in two languages, for a site and its webhook on this machine. */
const configuration = ({ port, preview }) => ({
  environment: 'local',
  port: ':8080',
  db_driver: 'sqlite',
  db_url: './modula.db',
  bucket_endpoint: 'file:./media',
  i18n_enabled: true,
  cors_origins: [`http://localhost:${port}`],
  preview_url: `http://localhost:${port}${preview}`,
  webhook_enabled: true,
  webhook_allow_http: true,
})

const quoted = path => (/^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
const serve = isInRepository
  ? `npm run quickstart --prefix ${quoted(repository)} -- --empty --dir "$PWD/cms"`
  : `npx slugline@${version} quickstart --empty --dir cms`

const commands = ({ develop }) => `npm install
export CMS_ADMIN_PASSWORD='choose one'
${serve}   # the service: leave it running and continue in another terminal

export CMS_ADMIN_PASSWORD='choose one'            # the same password
npm run seed                                      # create the content model and some posts
npm run build                                     # build the site
${develop.padEnd(49)} # show the site while you work on it`

/** How the site follows what is published. */
const following = ({ rebuilds, port, ignored }) => `## After a change

Create a webhook in the panel, for \`http://localhost:${rebuilds ? 8090 : `${port}/webhook`}\` and the events
\`content.published\`, \`content.updated\`, \`content.unpublished\` and \`content.deleted\`. ${
  rebuilds
    ? `This command uses
the secret of the webhook, and rebuilds the site in \`${ignored[0]}\` after each event:`
    : `If the site has the
secret of the webhook, it shows each change at the next request:`
}

\`\`\`sh
WEBHOOK_SECRET=… npm ${rebuilds ? 'run rebuild' : 'start'}
\`\`\`
`

/** Packs what the starter links to in the repository, and copies both into the folder. */
async function copyFromRepository(template, folder) {
  const { copyStarter, linked } = await import('./starter-files.js')
  const places = {}
  for (const [name, at] of linked(template)) {
    const archives = join(folder, 'packages')
    mkdirSync(archives, { recursive: true })
    const source = join(repository, 'examples', template, at)
    const packing = ['pack', source, '--json', '--pack-destination', archives]
    const [{ filename }] = JSON.parse(execFileSync('npm', packing, { cwd: repository, encoding: 'utf8' }))
    const spec = `file:packages/${filename}`
    places[name] = { version, spec, resolved: spec }
  }
  copyStarter(template, folder, places)
}

async function write(folder, template, starter) {
  const at = (...path) => join(folder, ...path)
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error.code === 'EEXIST') stop(`${folder} exists already: name another folder.`)
    if (error.code === 'ENOENT') stop(`${folder} cannot be created: its parent folder is missing.`)
    throw error
  }
  if (isInRepository) await copyFromRepository(template, folder)
  else cpSync(new URL(template, templates), folder, { recursive: true })
  const { description: _, name: __, ...own } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'site'
  const scripts = { ...own.scripts, seed: 'node seed.mjs 20' }
  if (starter.rebuilds) scripts.rebuild = 'node rebuild.mjs'
  writeFileSync(at('package.json'), json({ name, ...own, scripts }))
  const lock = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'))
  lock.name = name
  lock.packages[''].name = name
  writeFileSync(at('package-lock.json'), json(lock))
  mkdirSync(at('cms'))
  // Settings that are added later may be secrets.
  writeFileSync(at('cms', 'cms.config.json'), json(configuration(starter)), { mode: 0o600 })
  const ignored = ['node_modules', ...starter.ignored, 'cms/modula.db*', 'cms/media', '.env*']
  writeFileSync(at('.gitignore'), `${ignored.join('\n')}\n`)
}

const { values, positionals } = given()
if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
if (positionals.length > 1) stop(usage)
const { folder, template } = await asked({ folder: positionals[0], template: values.template })
const starter = names.includes(template) ? starters[template] : undefined
if (!starter) stop(`Unknown template ${template}. Templates: ${names.join(', ')}.`)
const path = resolve(folder)
await write(path, template, starter)
const next = commands(starter)
writeFileSync(
  join(path, 'README.md'),
  `# ${basename(path)}

A site in two languages with ${starter.title}. Its content is in a Slugline service. The folder \`cms\` has the configuration of
the service and, after the first start, its database and media.

\`\`\`sh
${next}
\`\`\`

The panel is at http://localhost:8080/admin: sign in as admin@example.com. To use another service, set
\`SLUGLINE_URL\` to its address.

${following(starter)}`,
)
process.stdout.write(`
  Created a site with ${starter.title} in ${path}, and the configuration of an empty service in its folder cms

${`cd ${folder}\n${next}`.replaceAll(/^(?=.)/gm, '  ')}

  Panel   http://localhost:8080/admin, as admin@example.com
  Site    http://localhost:${starter.port}
`)
