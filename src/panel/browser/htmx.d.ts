declare module 'htmx.org/dist/htmx.esm.js' {
  const htmx: {
    ajax(method: string, path: string, options: object): Promise<void>
    process(element: Element): void
    registerExtension(name: string, extension: object): void
  }
  export default htmx
}
declare module 'htmx.org/dist/ext/hx-csp.js'
