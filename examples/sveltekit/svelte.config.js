import adapter from '@sveltejs/adapter-static'

export default {
  kit: {
    adapter: adapter(),
    // The build follows the links of the site. Nothing links to the preview.
    prerender: { entries: ['/', '/preview/'] },
  },
}
