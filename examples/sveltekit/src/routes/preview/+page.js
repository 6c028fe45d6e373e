export const load = () => ({ title: 'Preview' })
