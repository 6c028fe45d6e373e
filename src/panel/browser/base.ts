/** The path prefix of the space that the page is about. */
export const baseNow = () => document.querySelector<HTMLElement>('#app')?.dataset.base ?? '/admin'
