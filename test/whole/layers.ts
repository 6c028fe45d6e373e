/**
 * Which part of the source may import which. The table of folders in docs/architecture.md says the same: `npm run docs`
 * writes its last column from here. `layers.test.ts` reads every import of `src` and `migrations`.
 *
 * A layer is a folder, or a file that stands above its folder. A file belongs to the longest name that fits. Every layer
 * may import itself and the files directly in `src`. `src/db/**` is a layer with those below it, `**` is all of them.
 */
export interface Layer {
  readonly mayImport: readonly string[]
  /** Single files of layers that it leaves alone otherwise, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

export const layers: Readonly<Record<string, Layer>> = {
  src: { mayImport: ['src/net'] },
  'src/app.ts': {
    mayImport: [
      'src/middleware',
      'src/net',
      'src/mcp',
      'src/panel',
      'src/routes/**',
      'src/services/**',
      'src/systems',
      'src/systems/index.ts',
    ],
  },
  'src/background.ts': {
    mayImport: ['src/db', 'src/services/operation'],
    except: { 'src/services/index.ts': 'its types' },
  },
  'src/server.ts': { mayImport: ['**', 'migrations'] },
  'src/server-tls.ts': {
    mayImport: ['src/middleware', 'src/net', 'src/node', 'src/services/operation'],
    except: { 'src/services/index.ts': 'its types' },
  },
  'src/net': { mayImport: [] },
  'src/db': { mayImport: ['src/db/dialects', 'src/db/dump'] },
  'src/db/dialects': {
    mayImport: ['src/db'],
    except: {
      'src/node/commonjs.ts': 'drivers of databases are CommonJS modules',
      'src/node/installed.ts': 'SQLite needs a driver that was built for this Node',
      'src/node/program.ts': 'SQLite reads in threads of their own',
    },
  },
  'src/db/dump': { mayImport: ['src/db'] },
  'src/db/queries': { mayImport: ['src/db'] },
  'src/services': { mayImport: ['src/db', 'src/db/queries'] },
  'src/services/index.ts': { mayImport: ['src/db', 'src/services/**'] },
  'src/services/content-space.ts': { mayImport: ['src/db', 'src/services/**'] },
  'src/services/bootstrap.ts': { mayImport: ['src/db', 'src/services/**'] },
  'src/services/accounts': {
    mayImport: ['src/db', 'src/db/queries', 'src/services', 'src/services/operation'],
  },
  'src/services/content': {
    mayImport: ['src/db', 'src/db/queries', 'src/services'],
    except: { 'src/texts/text.ts': 'its type: the labels of settings are texts of the panel' },
  },
  'src/services/delivery/formats/index.ts': {
    mayImport: ['src/services/delivery'],
    except: {
      'src/systems/contentful/write/page.ts': 'a page in the shape of Contentful',
      'src/systems/markdown/write/page.ts': 'a page as Markdown',
      'src/systems/sanity/write/page.ts': 'a page in the shape of Sanity',
      'src/systems/strapi/write/page.ts': 'a page in the shape of Strapi',
      'src/systems/wordpress/write/page.ts': 'a page in the shape of WordPress',
    },
  },
  'src/services/delivery': {
    mayImport: [
      'src/db',
      'src/db/queries',
      'src/services',
      'src/services/content',
      'src/services/delivery/formats/index.ts',
      'src/services/media',
    ],
    except: { 'src/systems/mapping.ts': 'answers to other systems know what datatypes are called there' },
  },
  'src/services/media': {
    mayImport: ['src/db', 'src/db/queries', 'src/services', 'src/services/content', 'src/services/operation'],
    except: { 'src/services/delivery/audience.ts': 'its types: who is told of which media' },
  },
  'src/services/model': {
    mayImport: [
      'src/db',
      'src/services',
      'src/services/accounts',
      'src/services/content',
      'src/services/webhooks',
    ],
  },
  'src/services/import': {
    mayImport: [
      'src/db',
      'src/services',
      'src/services/content',
      'src/services/media',
      'src/services/operation',
      'src/services/webhooks',
    ],
    except: {
      'src/services/index.ts': 'its types: what is read is stored by the services, as a surface would',
      'src/systems/sanity/write/media.ts': 'a reference to a picture is read as it is written',
    },
  },
  'src/services/review': {
    mayImport: [
      'src/db',
      'src/db/queries',
      'src/services',
      'src/services/accounts',
      'src/services/content',
      'src/services/operation',
    ],
  },
  'src/services/limited': {
    mayImport: ['src/db', 'src/services/accounts', 'src/services/content'],
  },
  'src/services/webhooks': {
    mayImport: ['src/db', 'src/db/queries', 'src/net', 'src/services', 'src/services/operation'],
  },
  'src/services/operation': {
    mayImport: ['src/db', 'src/db/dump', 'src/db/queries', 'src/services', 'src/services/media'],
    except: { 'src/services/accounts/access.ts': 'its types: who may start and download a backup' },
  },
  'src/middleware': {
    mayImport: ['src/net', 'src/services', 'src/services/accounts', 'src/services/operation'],
  },
  'src/routes': {
    mayImport: ['src/middleware', 'src/services/**'],
    except: { 'src/db/columns.ts': 'columns say what a record looks like' },
  },
  'src/routes/openapi': {
    mayImport: ['src/routes', 'src/services/webhooks'],
    except: { 'src/db/columns.ts': 'columns say what a record looks like' },
  },
  'src/routes/api': {
    mayImport: ['src/middleware', 'src/routes', 'src/routes/openapi', 'src/services/**'],
    except: { 'src/db/tables.ts': 'tables say what a record looks like' },
  },
  'src/systems': {
    mayImport: ['src/db', 'src/middleware', 'src/routes', 'src/services/**'],
  },
  'src/systems/readers.ts': { mayImport: ['src/services/**', 'src/systems/**'] },
  'src/systems/index.ts': { mayImport: ['src/middleware', 'src/routes', 'src/systems/**'] },
  'src/systems/contentful': {
    mayImport: ['src/db', 'src/db/queries', 'src/middleware', 'src/routes', 'src/services/**', 'src/systems'],
  },
  'src/systems/csv': { mayImport: ['src/services/**', 'src/systems'] },
  'src/systems/ghost': { mayImport: ['src/services/**', 'src/systems'] },
  'src/systems/markdown': { mayImport: ['src/services/**', 'src/systems'] },
  'src/systems/sanity': {
    mayImport: ['src/computing', 'src/db', 'src/middleware', 'src/routes', 'src/services/**', 'src/systems'],
  },
  'src/systems/strapi': {
    mayImport: ['src/db/queries', 'src/middleware', 'src/routes', 'src/services/**', 'src/systems'],
  },
  'src/systems/wordpress': {
    mayImport: ['src/db', 'src/middleware', 'src/routes', 'src/services/**', 'src/systems'],
  },
  'src/mcp': { mayImport: ['src/middleware', 'src/resources', 'src/routes', 'src/services/**'] },
  'src/texts': { mayImport: [] },
  'src/resources': { mayImport: ['src/services/**', 'src/texts'] },
  'src/panel': {
    mayImport: ['src/middleware', 'src/resources', 'src/routes', 'src/services/**', 'src/texts'],
  },
  'src/panel/browser': {
    mayImport: ['src/texts'],
    except: { 'src/services/content/rich-text/rules.ts': 'the editor writes only what the service keeps' },
  },
  'src/twin': {
    mayImport: [],
    except: { 'src/routes/accepted.ts': 'headers of requests are read as the service reads them' },
  },
  'src/cli': { mayImport: ['**', 'migrations'] },
  'src/ssh': {
    mayImport: [
      'src/cli',
      'src/net',
      'src/node',
      'src/resources',
      'src/services/**',
      'src/ssh/**',
      'src/texts',
    ],
    except: { 'src/routes/form-values.ts': 'the values of a form are read once for panel and terminal' },
  },
  'src/ssh/screen': {
    mayImport: ['src/texts'],
    except: {
      'src/resources/form-field.ts': 'a form draws its fields',
      'src/resources/refusals.ts': 'a form says what is wrong with its fields',
      'src/resources/views/conflict.ts': 'a form compares its values',
      'src/resources/views/text-differences.ts': 'changes are shown word by word',
    },
  },
  'src/ssh/screens': {
    mayImport: ['src/resources', 'src/services/**', 'src/ssh', 'src/ssh/screen', 'src/texts'],
    except: { 'src/routes/form-values.ts': 'the values of a form are read once for panel and terminal' },
  },
  'src/computing': { mayImport: [] },
  'src/node': { mayImport: ['src/computing', 'src/net'] },
  migrations: { mayImport: ['src/db'] },
}

const names = Object.keys(layers).toSorted((a, b) => b.length - a.length)

/** The layer of a file. Whatever is in no layer is one of its own, which nobody may import. */
const layerOf = (file: string): string =>
  names.find(name => file === name || file.startsWith(`${name}/`)) ?? file

const permits = (entry: string, layer: string): boolean =>
  entry === layer ||
  (entry === '**' && layer.startsWith('src')) ||
  (entry.endsWith('/**') && (layer === entry.slice(0, -3) || layer.startsWith(entry.slice(0, -2))))

/** Whether a file may import another one; both by their paths in the project. */
export function mayImport(file: string, imported: string, of = layers): boolean {
  const [from, to] = [layerOf(file), layerOf(imported)]
  if (from === to || (to === 'src' && !imported.slice('src/'.length).includes('/'))) return true
  const layer = of[from]
  return (
    layer !== undefined &&
    (layer.mayImport.some(entry => permits(entry, to)) || layer.except?.[imported] !== undefined)
  )
}

/** The last column of the table of folders. */
export const permissionText = ({ mayImport, except = {} }: Layer): string =>
  [
    ...mayImport.map(entry => (entry === '**' ? 'everything in `src`' : `\`${entry}\``)),
    ...Object.keys(except).map(file => `\`${file}\``),
  ].join(', ')
