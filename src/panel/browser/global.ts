import htmx from 'htmx.org/dist/htmx.esm.js'

// Extensions of htmx look for it there.
Object.assign(globalThis, { htmx })
