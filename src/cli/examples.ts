const examples: Readonly<Record<string, readonly [string, string]>> = {
  serve: ['slugline serve', 'slugline serve --config /etc/slugline/cms.config.json'],
  quickstart: ['slugline quickstart', 'slugline quickstart --dir site --empty --port 8081'],
  init: ['slugline init', 'slugline init --environment production --client-site example.com --tls auto'],
  doctor: ['slugline doctor', 'slugline doctor --json | jq ".checks[] | select(.state == \\"failed\\")"'],
  'config check': [
    'slugline config check',
    'slugline config check --config new.json && mv new.json cms.config.json',
  ],
  'migrate up': ['slugline migrate up', 'slugline backup create before.tar.gz && slugline migrate up'],
  'migrate status': ['slugline migrate status', 'slugline migrate status || slugline migrate up'],
  login: ['slugline login https://example.com', 'slugline login https://example.com --with-key < key.txt'],
  logout: ['slugline logout', 'slugline logout https://example.com'],
  'user create': [
    'slugline user create ada@example.com --role editor',
    'slugline user create ada@example.com --role editor < password.txt',
  ],
  'user password': [
    'slugline user password ada@example.com',
    'slugline user password ada@example.com < password.txt',
  ],
  'user reset-second-factor': [
    'slugline user reset-second-factor ada@example.com',
    'slugline user list && slugline user reset-second-factor ada@example.com',
  ],
  'user role': [
    'slugline user role ada@example.com editor',
    'slugline user role ada@example.com viewer --json',
  ],
  'keys list': ['ssh example.com keys list', 'ssh example.com keys list --json'],
  'keys add': [
    'ssh example.com keys add < ~/.ssh/id_ed25519.pub',
    'ssh example.com keys add --label laptop < id.pub',
  ],
  'keys remove': ['ssh example.com keys remove 01J9ZK2Y --yes', 'ssh example.com keys list'],
  'token create': [
    'slugline token create build@example.com --read-only --expires-in 90d',
    'KEY=$(slugline token create shop@example.com --limits datatypes=product own --rate-limit 600)',
  ],
  'token revoke': ['slugline token revoke 01J9ZK2Y', 'slugline token list --user-id build@example.com'],
  'media regenerate': ['slugline media regenerate', 'slugline media regenerate --json'],
  'content publish': [
    'slugline content publish /about',
    'slugline content publish --where status=draft datatype-id=post --dry-run',
  ],
  'content unpublish': [
    'slugline content unpublish /about',
    'slugline content list --author-id ada@example.com --json | jq -r ".[].content_data_id" | slugline content unpublish -',
  ],
  'content schedule': [
    'slugline content schedule /about --publish 2027-01-31T12:00:00Z',
    'slugline content schedule /about --publish never',
  ],
  'content check': ['slugline content check', 'slugline content check || slugline content repair'],
  'content repair': [
    'slugline content repair',
    'slugline backup create - > before.tar.gz && slugline content repair',
  ],
  'content edit': [
    'slugline content edit /about',
    'EDITOR="code --wait" slugline content edit /about --locale de',
  ],
  'content export': [
    'slugline content export --datatype-id post > posts.ndjson',
    'ssh example.com content export /about | jq .fields',
  ],
  'content import': [
    'slugline content import --dry-run --author ada@example.com < posts.ndjson',
    'ssh old.example.com content export | ssh new.example.com content import --publish',
  ],
  'media upload': [
    'slugline media upload winter.jpg --alt "A chain in the snow" --author ada@example.com',
    'ssh example.com media upload winter.jpg --folder team < winter.jpg',
  ],
  'config get': ['slugline config get', 'slugline config get publish_mode'],
  'config set': [
    'slugline config set publish_mode staged',
    'slugline config set cors_origins \'["https://example.com"]\' --dry-run',
  ],
  'trash restore': [
    'slugline trash restore /about',
    'ssh example.com trash restore --where deleted-by=ada@example.com',
  ],
  'versions list': ['slugline versions list /about', 'slugline versions list /about --limit 5'],
  'versions compare': [
    'slugline versions compare 01J9ZK2Y 01J9ZK3A',
    'slugline versions compare 01J9ZK2Y 01J9ZK3A --patch | delta',
  ],
  'versions restore': ['slugline versions restore 01J9ZK2Y', 'slugline versions list /about'],
  'pages create': [
    'slugline pages create --author ada@example.com < page.json',
    'ssh example.com pages create < page.json',
  ],
  query: [
    "slugline query post 'date[gte]=2027-01-01' --sort=-date",
    'slugline query post --fields title,date --json | jq ".data[].fields"',
  ],
  go: ['ssh -t example.com go winter', 'slugline go winter chain --json'],
  search: ['slugline search winter chain', 'slugline search winter --type post,page --count'],
  'webhooks test': ['slugline webhooks test Build', 'slugline webhooks test Build --json'],
  'webhooks replay': [
    'slugline webhooks replay Build --from 2027-01-01T00:00:00Z',
    'slugline webhooks replay Build --from 2027-01-01T00:00:00Z --to 2027-01-02T00:00:00Z --status failed',
  ],
  'deliveries list': ['slugline deliveries list Build', 'slugline deliveries list Build --status failed'],
  'deliveries tail': ['slugline deliveries tail', 'slugline deliveries tail Build --json | jq .status'],
  'deliveries retry': [
    'slugline deliveries retry 01J9ZK2Y',
    'slugline deliveries list Build --status failed',
  ],
  'audit list': [
    'slugline audit list --table routes',
    'slugline audit list --since 2027-01-01T00:00:00Z --jsonl',
  ],
  'audit tail': ['slugline audit tail', 'slugline audit tail --table content_data --json'],
  top: ['ssh -t example.com top', 'ssh example.com top --json'],
  'backup create': ['slugline backup create site.tar.gz', 'ssh example.com backup create > site.tar.gz'],
  'backup list': ['slugline backup list', 'slugline backup list --json'],
  'backup verify': ['slugline backup verify site.tar.gz', 'slugline backup verify site.tar.gz --json'],
  'backup restore': [
    'slugline backup restore site.tar.gz',
    'slugline backup restore site.tar.gz --config new.json',
  ],
  import: [
    'slugline import sanity export.tar.gz --author ada@example.com --public',
    'SOURCE_TOKEN=ada:abcd slugline import wordpress --from https://old.example/wp-json --follow',
  ],
  compare: [
    'slugline compare https://old.example/wp-json https://cms.example/compat/wordpress/wp-json',
    'slugline compare https://api.old.example/api http://localhost:8080/compat/strapi/api --types articles --allow 5',
  ],
  twin: ['slugline twin --to /srv/twin', 'slugline twin --to s3://twin/site --once'],
  'model pull': ['slugline model pull > model.json', 'ssh example.com model pull > model.json'],
  'model plan': ['slugline model plan < model.json', 'ssh example.com model plan < model.json'],
  'model apply': ['slugline model apply < model.json', 'ssh example.com model apply < model.json'],
  types: ['slugline types > src/slugline.ts', 'ssh example.com types > src/slugline.ts'],
  compat: ['slugline compat', 'slugline compat --json'],
  openapi: ['slugline openapi > openapi.json', 'slugline openapi | jq ".paths | keys"'],
  completion: [
    'source <(slugline completion bash)',
    'slugline completion fish > ~/.config/fish/completions/slugline.fish',
  ],
  version: ['slugline version', 'slugline --version'],
}

const changes: Readonly<Record<string, string>> = {
  content: '{"fields":{"title":"New"}}',
  routes: '{"title":"New"}',
  redirects: '{"status":301}',
  webhooks: '{"is_active":false}',
  comments: '{"resolved":true}',
  token: '{"rate_limit":600}',
}

/** Returns two examples for an ordinary command of a resource. @param sample a record by its name */
function recordExamples(name: string, sample: string): Readonly<Record<string, readonly [string, string]>> {
  const command = `slugline ${name}`
  return {
    list: [`${command} list --limit 20`, `${command} list --jsonl`],
    get: [`${command} get ${sample}`, `${command} get ${sample} --json`],
    delete: [`${command} delete ${sample} --dry-run`, `${command} delete ${sample} --yes`],
    create: [`${command} create < new.json`, `ssh example.com ${name} create < new.json`],
    update: [
      `echo '${changes[name] ?? '{"label":"New"}'}' | ${command} update ${sample}`,
      `${command} update ${sample} < changed.json`,
    ],
  }
}

const samples: Readonly<Record<string, string>> = {
  content: '/about',
  routes: '/about',
  datatypes: 'post',
  fields: 'post.title',
  media: 'winter.jpg',
  user: 'ada@example.com',
  roles: 'editor',
  token: '01J9ZK2Y',
  locales: 'de',
  redirects: '/old',
  webhooks: 'Build',
  trash: '/about',
  comments: '01J9ZK2Y',
}

/** Returns the examples of a command by its words. */
export function examplesOf(words: string): readonly string[] {
  const [name = '', action = ''] = words.split(' ')
  const sample = samples[name]
  return examples[words] ?? (sample === undefined ? undefined : recordExamples(name, sample)[action]) ?? []
}
