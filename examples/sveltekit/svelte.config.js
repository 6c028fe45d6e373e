import adapter from '@sveltejs/adapter-static'
import { withRedirects } from './redirects.js'

export default {
  kit: {
    adapter: withRedirects(adapter({ pages: 'build' }), 'build'),
    // The build follows the links of the site. Nothing links to the preview.
    prerender: { entries: ['/', '/preview/'] },
  },
}
