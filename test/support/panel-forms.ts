import type { Caller, TestApp } from './app.js'

/** Posts forms of the panel as a browser does after loading the page. */
export function panelForms({ call, send }: Pick<TestApp, 'call' | 'send'>) {
  const tokenFor = async (as: Caller): Promise<string> => {
    const { text } = await call('GET', '/admin/profile', { as })
    return /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  }
  return {
    tokenFor,
    /** Returns the mark of the record that a page shows. */
    async seen(path: string): Promise<string> {
      const { text } = await call('GET', path)
      return /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? ''
    },
    async post(
      path: string,
      values: Record<string, string> | [string, string][],
      { as = 'admin', token }: { as?: Caller; token?: string } = {},
    ) {
      const body = new URLSearchParams(values)
      body.set('form_token', token ?? (await tokenFor(as)))
      const answer = await send('POST', path, {
        as,
        body: body.toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
      return { ...answer, location: answer.headers.get('location') ?? '' }
    },
  }
}
