import type { Migration } from '../src/db/schema.js'

/** A counter that grows with every change of content: pages that show other entries are built again after it. */
export const links: Migration = {
  name: '007-links',
  steps: [
    {
      name: 'generations-links',
      statements: () => [
        "delete from generations where name = 'links'",
        "insert into generations (name, value) values ('links', 0)",
      ],
    },
  ],
}
