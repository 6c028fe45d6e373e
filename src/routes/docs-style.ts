/** Named by its hash in the policy, for the page is the same in every answer and has no nonce. */
export const docsStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code,pre{font-family:ui-monospace,monospace;font-size:.88em}summary{cursor:pointer;padding:.3rem 0}summary b{display:inline-block;width:4.5rem}
summary span,.note{color:#595959}pre{background:#f4f4f4;padding:.8rem;overflow:auto}nav a{margin-right:1rem;display:inline-block}
table{border-collapse:collapse;width:100%;margin:.4rem 0 1rem}th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid #ddd}
th{font-weight:600}caption{text-align:left;font-weight:600;padding:.3rem 0}details>div{padding:.2rem 0 1rem 1rem}[hidden]{display:none}
input{font:inherit;width:100%;max-width:30rem;padding:.4rem;box-sizing:border-box}section>h2{margin-top:2.2rem}
@media (prefers-color-scheme:dark){body{background:#111;color:#eee}summary span,.note{color:#aaa}pre{background:#222}a{color:#8bf}th,td{border-color:#333}}`
