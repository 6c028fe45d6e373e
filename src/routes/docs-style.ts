/** Named by its hash in the policy, for the page is the same in every answer and has no nonce. */
export const docsStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code{font-family:ui-monospace,monospace}summary{cursor:pointer;padding:.3rem 0}summary b{display:inline-block;width:4.5rem}
summary span{color:#555}pre{background:#f4f4f4;padding:.8rem;overflow:auto;font-size:.85rem}nav a{margin-right:1rem}
@media (prefers-color-scheme:dark){body{background:#111;color:#eee}summary span{color:#aaa}pre{background:#222}a{color:#8bf}}`
