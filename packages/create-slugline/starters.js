/**
 * What differs between the starters: the port of the development server, the page that preview links open, what a build
 * writes, and whether a program of the site builds it again after a webhook. Next reads the content again without one.
 */
export const starters = {
  astro: {
    ...{ title: 'Astro', port: 4321, preview: '/preview/', develop: 'npm start' },
    ...{ ignored: ['dist', '.astro'], rebuilds: true },
  },
  eleventy: {
    ...{ title: 'Eleventy', port: 8081, preview: '/preview/', develop: 'npm start' },
    ...{ ignored: ['_site'], rebuilds: true },
  },
  next: {
    ...{ title: 'Next', port: 3000, preview: '/preview', develop: 'npm run dev' },
    ...{ ignored: ['.next'], rebuilds: false },
  },
  nuxt: {
    ...{ title: 'Nuxt', port: 3000, preview: '/preview/', develop: 'npm start' },
    ...{ ignored: ['.nuxt', '.output', 'dist'], rebuilds: true },
  },
  sveltekit: {
    ...{ title: 'SvelteKit', port: 5173, preview: '/preview/', develop: 'npm start' },
    ...{ ignored: ['build', '.svelte-kit'], rebuilds: true },
  },
}
