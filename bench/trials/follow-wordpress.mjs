// WordPress as a source that is followed (Debian: wordpress mariadb-server php-cli php-mysql php-gd), with a database of its own.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { must } from './product.mjs'
import { asUser, folder, folderFor, freePort, listens, program, run, until } from './programs.mjs'

/** Each serves one request at a time. */
const workers = 3
const zone = 'Europe/Berlin'

async function database() {
  const at = folderFor('mysql', 'wordpress-db')
  await run('mariadb-install-db', [
    ...['--no-defaults', '--user=mysql', `--datadir=${at}/data`, '--skip-test-db'],
    '--auth-root-authentication-method=normal',
  ])
  const port = await freePort()
  const options = [`--datadir=${at}/data`, `--port=${port}`, `--socket=${at}/socket`, `--pid-file=${at}/pid`]
  void program(
    'wordpress-db',
    ...asUser('mysql', 'mariadbd', '--no-defaults', ...options, '--bind-address=127.0.0.1'),
  )
  await until('the database of WordPress listens', () => listens(port))
  const where = ['--no-defaults', '-h', '127.0.0.1', '-P', String(port), '-u', 'root']
  await run('mariadb', [...where, '-e', 'create database wordpress character set utf8mb4'])
  return port
}

const configuration = (url, port) => `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', '127.0.0.1:${port}'); define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', '${url}'); define('WP_SITEURL', '${url}');
define('WP_ENVIRONMENT_TYPE', 'local'); define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true); define('WP_POST_REVISIONS', false);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`

/** Files are served as they are; everything else is WordPress. */
const router = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_file(__DIR__ . $path)) return false;
require __DIR__ . '/index.php';
`

/** Installs the site and fills it. It prints the application password. */
const fill = `<?php
[, $documents] = $argv;
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1'; $_SERVER['REQUEST_METHOD'] = 'GET'; $_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
require __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
wp_install('Trial', 'ada', 'ada@example.com', true, '', 'correct horse 27');
update_option('timezone_string', '${zone}');
update_option('permalink_structure', '/%postname%/');
wp_set_current_user(1);
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) wp_delete_post($post->ID, true);
$authors = [1];
foreach (['ben', 'cleo', 'dan'] as $name)
  $authors[] = wp_insert_user(['user_login' => $name, 'user_pass' => 'correct horse 27', 'user_email' => "$name@example.com", 'role' => 'author', 'display_name' => ucfirst($name)]);
$categories = []; $tags = [];
for ($i = 0; $i < max(4, $documents / 50); $i++) {
  $categories[] = wp_insert_term("Category $i", 'category', ['slug' => "category-$i", 'description' => "About $i", 'parent' => $i % 5 === 4 ? $categories[0] : 0])['term_id'];
  $tags[] = wp_insert_term("Tag $i", 'post_tag', ['slug' => "tag-$i"])['term_id'];
}
$pictures = [];
for ($i = 0; $i < $documents / 10; $i++) {
  $image = imagecreatetruecolor(320, 200);
  imagefilledrectangle($image, 0, 0, 320, 200, imagecolorallocate($image, $i % 256, ($i * 7) % 256, ($i * 31) % 256));
  ob_start(); imagepng($image); $file = wp_upload_bits("picture-$i.png", null, ob_get_clean());
  $id = wp_insert_attachment(['post_title' => "Picture $i", 'post_mime_type' => 'image/png', 'post_status' => 'inherit', 'post_excerpt' => "Caption $i"], $file['file']);
  wp_update_attachment_metadata($id, wp_generate_attachment_metadata($id, $file['file']));
  update_post_meta($id, '_wp_attachment_image_alt', "A rectangle, number $i");
  $pictures[] = $id;
}
$links = []; $pages = [];
$left = $documents - count($categories) - count($tags) - count($pictures);
for ($i = 0; $i < $left; $i++) {
  $isPage = $i % 8 === 7;
  $number = $pictures[$i % count($pictures)];
  $link = $links ? $links[$i % count($links)] : home_url('/');
  $text = "<!-- wp:heading --><h2>Part $i</h2><!-- /wp:heading -->\\n\\n"
    . "<!-- wp:paragraph --><p>Words of <strong>number $i</strong> with <a href=\\"$link\\">a link</a> &amp; more.</p><!-- /wp:paragraph -->\\n\\n"
    . "<!-- wp:list --><ul><li>one</li><li>two $i</li></ul><!-- /wp:list -->";
  if ($i % 3 === 0) $text .= "\\n\\n<!-- wp:image {\\"id\\":$number} --><figure class=\\"wp-block-image\\"><img src=\\"" . wp_get_attachment_url($number) . "\\" alt=\\"A rectangle\\" class=\\"wp-image-$number\\"/></figure><!-- /wp:image -->";
  $at = strtotime('2024-01-01') + $i * 36000;
  $post = [
    'post_type' => $isPage ? 'page' : 'post', 'post_title' => "Number $i", 'post_name' => ($isPage ? 'page' : 'post') . "-$i",
    'post_status' => $i % 10 === 3 ? 'draft' : ($i % 50 === 21 ? 'private' : 'publish'),
    'post_content' => $text, 'post_excerpt' => $i % 2 ? "Short $i" : '', 'post_author' => $authors[$i % count($authors)],
    'post_date_gmt' => gmdate('Y-m-d H:i:s', $at), 'post_date' => get_date_from_gmt(gmdate('Y-m-d H:i:s', $at)),
    'post_parent' => $isPage && $i % 3 === 0 && $pages ? $pages[0] : 0,
  ];
  $id = wp_insert_post(wp_slash($post), true);
  if (is_wp_error($id)) throw new Exception($id->get_error_message());
  if ($isPage) { $pages[] = $id; continue; }
  wp_set_post_categories($id, [$categories[$i % count($categories)], $categories[($i * 3) % count($categories)]]);
  wp_set_post_tags($id, ["Tag " . ($i % count($tags))]);
  if ($i % 4 !== 1) set_post_thumbnail($id, $number);
  if ($post['post_status'] === 'publish') $links[] = get_permalink($id);
}
wp_delete_term(get_cat_ID('Uncategorized'), 'category');
echo WP_Application_Passwords::create_new_application_password(1, ['name' => 'trial'])[0];
`

/**
 * Installs WordPress and fills it.
 * @param shown the address that the site believes to have
 * @returns a source to follow
 */
export async function wordpress({ shown, documents, random }) {
  const at = join(folder, 'wordpress')
  cpSync('/usr/share/wordpress', at, {
    recursive: true,
    dereference: true,
    filter: file => !/\.htaccess$/.test(file),
  })
  mkdirSync(join(at, 'wp-content/uploads'), { recursive: true })
  writeFileSync(join(at, 'wp-config.php'), configuration(shown, await database()))
  writeFileSync(join(at, 'router.php'), router)
  writeFileSync(join(at, 'fill.php'), fill)
  const { stdout } = await run('php', ['fill.php', String(documents)], { cwd: at })
  const token = `ada:${/([A-Za-z0-9]{24})\s*$/.exec(stdout)?.[1]}`
  const ports = []
  for (let i = 0; i < workers; i++) ports.push(await freePort())
  let servers = []
  const key = { Authorization: `Basic ${Buffer.from(token).toString('base64')}` }
  const { pick, chance, word } = random

  /** @param api calls the REST API as the administrator */
  const editsOf = api => {
    const call = async (method, path, body) => must(api)(method, `/wp-json/wp/v2${path}`, body, key)
    let made = 0
    const all = async base => {
      const found = []
      for (let page = 1; ; page++) {
        const status = base === 'categories' || base === 'tags' || base === 'media' ? '' : '&status=any'
        const path = `/${base}?context=edit&per_page=100&orderby=id&order=asc&page=${page}${status}`
        // WordPress refuses a page behind the last one.
        const some = await call('GET', path).catch(error => {
          if (page > 1 && /: 400 /.test(error.message)) return []
          throw error
        })
        found.push(...some)
        if (some.length < 100) return found
      }
    }
    const body = () => `<!-- wp:paragraph --><p>Changed there: <em>${word()}</em></p><!-- /wp:paragraph -->`
    const terms = {}
    const refresh = async () => {
      for (const base of ['categories', 'tags', 'media']) terms[base] = (await all(base)).map(({ id }) => id)
    }
    const upload = async () => {
      const { default: sharp } = await import('sharp')
      const background = { r: Math.floor(random.next() * 256), g: made % 256, b: 99 }
      const png = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
        .png()
        .toBuffer()
      const answer = await fetch(`${api.url}/wp-json/wp/v2/media`, {
        method: 'POST',
        headers: {
          ...key,
          'Content-Type': 'image/png',
          'Content-Disposition': `attachment; filename="new-${++made}.png"`,
        },
        body: png,
      })
      if (answer.status !== 201) throw new Error(`upload: ${answer.status}`)
      terms.media.push((await answer.json()).id)
    }
    const change = {
      text: 40,
      excerpt: 10,
      terms: 8,
      picture: 6,
      state: 6,
      slug: 4,
      author: 2,
    }
    return {
      refresh,
      all,
      /** Changes one record. @returns what was done */
      async edit({ base, id }) {
        const what = random.weighted(change)
        const path = `/${base}/${id}`
        if (what === 'text') await call('POST', path, { title: `There ${word()}`, content: body() })
        else if (what === 'excerpt') await call('POST', path, { excerpt: `Short there ${word()}` })
        else if (what === 'terms' && base === 'posts')
          await call('POST', path, {
            categories: [pick(terms.categories)],
            tags: [pick(terms.tags), pick(terms.tags)],
          })
        else if (what === 'picture' && base === 'posts')
          await call('POST', path, { featured_media: pick(terms.media) })
        else if (what === 'slug') await call('POST', path, { slug: `there-${word()}` })
        else if (what === 'author') await call('POST', path, { author: pick([1, 2, 3, 4]) })
        else await call('POST', path, { status: chance(0.5) ? 'draft' : 'publish' })
        return what
      },
      async create() {
        const base = chance(0.8) ? 'posts' : 'pages'
        const own =
          base === 'posts' ? { categories: [pick(terms.categories)], featured_media: pick(terms.media) } : {}
        const { id } = await call('POST', `/${base}`, {
          ...{ title: `New ${word()}`, content: body(), status: chance(0.8) ? 'publish' : 'draft', ...own },
        })
        return { base, id }
      },
      remove: ({ base, id }) => call('DELETE', `/${base}/${id}${chance(0.5) ? '?force=true' : ''}`),
      /** Changes what documents share. @returns what was done */
      async editShared() {
        const what = random.weighted({ rename: 4, category: 2, untag: 1, alt: 3, upload: 3 })
        if (what === 'rename')
          await call('POST', `/categories/${pick(terms.categories)}`, { name: `Named ${word()}` })
        if (what === 'category')
          terms.categories.push((await call('POST', '/categories', { name: `Category ${word()}` })).id)
        if (what === 'untag' && terms.tags.length > 2) {
          const id = pick(terms.tags)
          terms.tags.splice(terms.tags.indexOf(id), 1)
          await call('DELETE', `/tags/${id}?force=true`)
        }
        if (what === 'alt') await call('POST', `/media/${pick(terms.media)}`, { alt_text: `Seen ${word()}` })
        if (what === 'upload') await upload()
        return what
      },
      media: async () => (await all('media')).map(({ id, alt_text: alt }) => ({ id, alt })),
      /** All records that become entries, with their state. */
      async records() {
        const found = []
        for (const base of ['posts', 'pages'])
          for (const { id, status } of await all(base))
            found.push({ base, id, isPublic: status === 'publish' })
        for (const base of ['categories', 'tags'])
          for (const { id } of await all(base)) found.push({ base, id, isPublic: true })
        return found
      },
    }
  }

  return {
    ...{ system: 'wordpress', token, ports, root: '/wp-json', options: [], lists: [] },
    edited: ['posts', 'pages'],
    madeHere: {
      type: 'post',
      request: (datatype_id, slug) => [
        'POST',
        '/api/v1/pages',
        { slug: `/${slug}`, title: slug, datatype_id, status: 'published', fields: { excerpt: slug } },
      ],
      find: (db, slug) =>
        db
          .prepare(
            'select content_data_id as id from content_data join routes using (route_id) where slug = ?',
          )
          .get(`/${slug}`)?.id,
    },
    /**
     * Differences that docs/moving-from/wordpress.md lists: terms and authors have no page and no avatar, and the number
     * of a term's posts follows posts that are other ones here.
     */
    exceptions: async () => (list, _id, path) =>
      !['posts', 'pages'].includes(list) &&
      (path === 'link' || path === 'count' || path.startsWith('avatar_urls')),
    /** Whether a difference at a path is that of the field that is edited here. */
    shows: path => path.startsWith('excerpt') || path.startsWith('modified'),
    ...{ field: 'excerpt', own: base => base === 'posts' || base === 'pages', editsOf },
    fileKey: id => `wordpress post ${id}`,
    /** The key of an id in the table of source ids. */
    sourceKey: ({ base, id }) =>
      `wordpress ${{ posts: 'post', pages: 'post', categories: 'term', tags: 'term' }[base]} ${id}`,
    async start() {
      servers = ports.map((port, i) =>
        program(
          `wordpress${i}`,
          'php',
          [...'-d display_errors=0 -d opcache.enable_cli=1 -S'.split(' '), `127.0.0.1:${port}`, 'router.php'],
          {
            cwd: at,
          },
        ),
      )
      for (const port of ports) await until('WordPress listens', () => listens(port))
    },
    stop: () => Promise.all(servers.map(server => server.kill())),
  }
}
