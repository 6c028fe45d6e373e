/** The pages by task, as paths in the repository. The sidebar and `llms.txt` are made of it. */
export const tasks: readonly { title: string; pages: readonly (readonly [title: string, path: string])[] }[] = [
  {
    title: 'Start',
    pages: [
      ['What Slugline is', 'README.md'],
      ['Installation', 'docs/installation.md'],
      ['A front end from scratch', 'docs/front-end.md'],
      ['A site with Astro', 'docs/astro.md'],
    ],
  },
  {
    title: 'Concepts',
    pages: [
      ['The content model', 'docs/modelling.md'],
      ['Locales', 'docs/locales.md'],
      ['Formats', 'docs/formats.md'],
      ['Security', 'docs/security.md'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['The panel', 'docs/panel/README.md'],
      ['The terminal', 'docs/terminal/README.md'],
      ['Screens of the terminal', 'docs/terminal/screens.md'],
      ['Writing content', 'docs/writing.md'],
      ['Review and comments', 'docs/review.md'],
      ['Media', 'docs/media.md'],
      ['Previews and live changes', 'docs/previews.md'],
      ['Webhooks', 'docs/webhooks.md'],
      ['Redirects', 'docs/redirects.md'],
      ['Sitemaps and lists of pages', 'docs/site-files.md'],
      ['Browser apps', 'docs/browser-apps.md'],
      ['Example: a site with Eleventy', 'examples/eleventy/README.md'],
      ['Example: a webhook receiver', 'examples/webhook-receiver/README.md'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['Configuration', 'docs/configuration.md'],
      ['Command line', 'docs/command-line.md'],
      ['Queries', 'docs/query.md'],
      ['Search', 'docs/search.md'],
      ['Errors', 'docs/errors.md'],
      ['Limits', 'docs/limits.md'],
      ['TypeScript types', 'docs/types.md'],
      ['The client package', 'docs/client.md'],
      ['Permissions and roles', 'docs/permissions.md'],
      ['Keys of the terminal', 'docs/terminal/keys.md'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ['HTTPS', 'docs/tls.md'],
      ['Behind a proxy', 'docs/proxy.md'],
      ['Several instances', 'docs/scaling.md'],
      ['Backup', 'docs/backup.md'],
      ['Monitoring', 'docs/monitoring.md'],
      ['Upgrade', 'docs/upgrade.md'],
      ['Releases and versions', 'docs/releases.md'],
      ['Performance', 'docs/performance.md'],
      ['Changes', 'CHANGELOG.md'],
    ],
  },
  {
    title: 'Move here',
    pages: [
      ['From WordPress', 'docs/moving-from/wordpress.md'],
      ['From Strapi', 'docs/moving-from/strapi.md'],
      ['From Contentful', 'docs/moving-from/contentful.md'],
      ['From Sanity', 'docs/moving-from/sanity.md'],
      ['From Ghost', 'docs/moving-from/ghost.md'],
      ['From Markdown files', 'docs/moving-from/markdown.md'],
      ['From CSV tables', 'docs/moving-from/csv.md'],
    ],
  },
  {
    title: 'Contribute',
    pages: [
      ['Contributing', 'CONTRIBUTING.md'],
      ['Architecture', 'docs/architecture.md'],
      ['Decisions', 'docs/decisions/README.md'],
      ['Report a vulnerability', 'SECURITY.md'],
    ],
  },
]
