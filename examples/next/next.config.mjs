export default {
  // One process renders all pages, so that they share the lists they are made of.
  experimental: { cpus: 1 },
}
