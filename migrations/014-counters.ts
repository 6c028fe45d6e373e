import { createTable, dropTable, type Migration } from '../src/db/schema.js'

const counted = "('changes', 'pages', 'links')"
const locks = [
  'users',
  'locales',
  'datatypes',
  'admin_datatypes',
  'media_dimensions',
  'media_folders',
  'admin_media_folders',
]

/** Counters, claimed seeds and named locks: a table each, where `generations` had all of them. */
export const counters: Migration = {
  name: '014-counters',
  steps: [
    createTable('counters', { name: 'text(64) key', value: 'bigint' }, { byKey: true }),
    {
      name: 'counters-rows',
      statements: () => [
        'delete from counters',
        `insert into counters (name, value)
         select case name when 'pages' then 'schema_version' when 'links' then 'content_version' else name end, value
         from generations where name in ${counted}`,
      ],
    },
    createTable('seeds', { name: 'text(64) key' }, { byKey: true }),
    {
      name: 'seeds-rows',
      statements: () => [
        'delete from seeds',
        "insert into seeds (name) select replace(name, 'seed:', '') from generations where name like 'seed:%'",
      ],
    },
    createTable('locks', { name: 'text(64) key' }, { byKey: true }),
    {
      name: 'locks-rows',
      statements: () => [
        'delete from locks',
        `insert into locks (name) values ${locks.map(name => `('${name}')`).join(', ')}`,
      ],
    },
    dropTable('generations'),
  ],
}
