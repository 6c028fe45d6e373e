import { expect, it } from 'vitest'
import { type Actor, systemActor } from '../../src/actor.js'
import { runAs } from '../../src/cli/command.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { HttpError } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'

const app = await testApp()
const { services } = app
const { callerIn, callerWith } = callersOf(app)

/**
 * Who may run which command of the terminal, written by hand as the table of endpoints is. `-` is refused with 403;
 * n nobody, v viewer, e editor, p somebody with just that permission, a administrator.
 */
const table = `
user create          users:create       - - - p a
user password        users:admin        - - - p a
user reset-second-factor  users:update  - - - p a
user role            users:update       - - - p a
user list            users:read         - - e p a
user get             users:read         - - e p a
user delete          users:delete       - - - p a
roles list           roles:read         - - - p a
roles get            roles:read         - - - p a
roles delete         roles:delete       - - - p a
roles create         roles:create       - - - p a
roles update         roles:update       - - - p a
keys list            signed-in          - v e p a
keys add             signed-in          - v e p a
keys remove          signed-in          - - - - a
token create         tokens:create      - - - p a
token revoke         tokens:update      - - - p a
token list           tokens:read        - - - p a
token get            tokens:read        - - - p a
token delete         tokens:delete      - - - p a
token update         tokens:update      - - - p a
media regenerate     media:update       - - e p a
media upload         media:create       - - e p a
media list           media:read         - v e p a
media get            media:read         - v e p a
media delete         media:delete       - - e p a
content list         content:read       - v e p a
content get          content:read       - v e p a
content delete       content:delete     - - e p a
content create       content:create     - - e p a
content update       content:update     - - e p a
content publish      content:publish    - - - p a
content unpublish    content:publish    - - - p a
content schedule     content:publish    - - - p a
content check        content:admin      - - - p a
content repair       content:admin      - - - p a
content export       content:read       - v e p a
content import       content:create     - - e - a
trash list           content:update     - - e p a
trash get            content:update     - - e p a
trash delete         content:delete     - - e p a
trash restore        content:delete     - - e p a
comments list        content:update     - - e p a
comments get         content:update     - - e p a
comments delete      content:update     - - e p a
comments create      content:update     - - e p a
comments update      content:update     - - e p a
versions list        content:update     - - e p a
versions compare     content:update     - - e p a
versions restore     content:update     - - e p a
pages create         content:create     - - e - a
routes list          routes:read        - v e p a
routes get           routes:read        - v e p a
routes delete        routes:delete      - - e p a
routes create        routes:create      - - e p a
routes update        routes:update      - - e p a
redirects list       routes:read        - v e p a
redirects get        routes:read        - v e p a
redirects delete     routes:delete      - - e p a
redirects create     routes:create      - - e p a
redirects update     routes:update      - - e p a
datatypes list       datatypes:read     - - e p a
datatypes get        datatypes:read     - - e p a
datatypes delete     datatypes:delete   - - e p a
datatypes create     datatypes:create   - - e p a
datatypes update     datatypes:update   - - e p a
fields list          fields:read        - - e p a
fields get           fields:read        - - e p a
fields delete        fields:delete      - - e p a
fields create        fields:create      - - e p a
fields update        fields:update      - - e p a
locales list         content:read       - v e p a
locales get          content:read       - v e p a
locales delete       content:admin      - - - p a
locales create       content:admin      - - - p a
locales update       content:admin      - - - p a
query                public             - v e - a
go                   signed-in          - v e p a
search               public             - v e - a
webhooks list        webhook:read       - - - p a
webhooks get         webhook:read       - - - p a
webhooks delete      webhook:delete     - - - p a
webhooks create      webhook:create     - - - p a
webhooks update      webhook:update     - - - p a
webhooks test        webhook:update     - - - p a
deliveries list      webhook:read       - - - p a
deliveries tail      webhook:read       - - - p a
deliveries retry     webhook:update     - - - p a
webhooks replay      webhook:update     - - - p a
audit list           audit:read         - - - p a
audit tail           audit:read         - - - p a
backup create        deploy:create      - - - - a
backup list          deploy:read        - - - p a
config get           config:read        - - e p a
config set           config:update      - - - p a
top                  signed-in          - v e p a
model pull           datatypes:read     - - e - a
model plan           datatypes:read     - - e - a
model apply          datatypes:update   - - e - a
types                datatypes:read     - - e p a
compat               datatypes:read     - - e p a
`
const rows = table
  .trim()
  .split('\n')
  .map(line => {
    const [, words = '', permission = '', allowed = ''] =
      /^(\w+(?: [\w-]+)?) {2,}(\S+) +(.+)$/.exec(line) ?? []
    return { words, permission, allowed: allowed.split(' ') }
  })

const nobody: Actor = { ...systemActor, surface: 'ssh' }
const system = async (label: 'viewer' | 'editor' | 'admin') =>
  (await callerIn(await services.access.systemRole(label))).actor
const actors = [
  ['n', async () => nobody],
  ['v', () => system('viewer')],
  ['e', () => system('editor')],
  ['p', async (permission: string) => (await callerWith(permission)).actor],
  ['a', () => system('admin')],
] as const

const io = {
  write: () => undefined,
  writeError: () => undefined,
  writeBytes: () => undefined,
  drained: async () => undefined,
  async *input() {
    yield Buffer.from('{}')
  },
  readSecret: async () => 'nobody else has this one',
  ask: undefined,
  isTerminal: false,
  hasColour: false,
  zone: 'UTC',
  isInteractive: false,
  // What would run until somebody ends it looks once.
  stopped: AbortSignal.abort(),
}

/** Runs a command about records that are not there. */
async function isRefused(words: string, actor: Actor): Promise<boolean> {
  const command = siteCommands.find(one => one.words === words)
  if (!command) throw new Error(`there is no command ${words}`)
  const required = Object.keys(command.arguments ?? {}).filter(
    name => name.startsWith('<') || (name.endsWith('...]') && words !== 'query'),
  )
  const call = { io, options: {}, given: required.map(() => 'nothing') }
  const error: unknown = await runAs(actor, services, command, call).catch((error: unknown) => error)
  if (error instanceof Error && !(error instanceof HttpError)) throw error
  return error instanceof HttpError && error.status === 403
}

it('has a line for every command, and no other', () => {
  expect(siteCommands.map(({ words, access }) => `${words} ${access}`).toSorted()).toEqual(
    rows.map(({ words, permission }) => `${words} ${permission}`).toSorted(),
  )
})

it.each(rows)('$words', async ({ words, permission, allowed }) => {
  const found = await Promise.all(
    actors.map(async ([letter, actor]) => ((await isRefused(words, await actor(permission))) ? '-' : letter)),
  )
  expect(found).toEqual(allowed)
})
