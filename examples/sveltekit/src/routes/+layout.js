// Every page is written by the build, as `<address>/index.html`.
export const prerender = true
export const trailingSlash = 'always'
