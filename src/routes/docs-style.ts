/** Named by its hash in the policy, for the page is the same in every answer and has no nonce. */
export const docsStyle = `:root{--ink:#1a1a1a;--soft:#595959;--line:#ddd;--shade:#f5f5f4;--paper:#fff;--link:#0b57a4;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--soft:#aaa;--line:#333;--shade:#1d1d1f;--paper:#111;--link:#8bf}}
body{font:16px/1.5 system-ui,sans-serif;margin:0;color:var(--ink);background:var(--paper);display:grid;grid-template-columns:15rem minmax(0,1fr)}
a{color:var(--link)}main{padding:1rem 2rem 4rem;max-width:80rem}[hidden]{display:none!important}
nav{position:sticky;top:0;height:100vh;overflow:auto;box-sizing:border-box;padding:1rem;border-right:1px solid var(--line);background:var(--shade)}
nav>a{display:block;font-weight:600;color:var(--ink);text-decoration:none}nav ul{list-style:none;margin:0 0 .8rem;padding:0 0 0 .8rem}
nav li a{display:block;color:var(--soft);text-decoration:none;font-size:.9rem}nav a:hover{text-decoration:underline}
input{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}h2{margin:3rem 0 0;font-size:1.6rem}h3{margin:1.6rem 0 0}h3+p{margin:.2rem 0 .6rem;color:var(--soft)}
h2,h3,tr,details{scroll-margin-top:1rem}h3::first-letter{text-transform:uppercase}nav li a::first-letter{text-transform:uppercase}
code,pre{font-family:ui-monospace,monospace;font-size:.86em}details{border-top:1px solid var(--line)}summary{cursor:pointer;padding:.45rem 0}
summary b{display:inline-block;width:4.2rem;font:600 .75rem/1 ui-monospace,monospace}.get{color:#1c6b3c}.post{color:#0b57a4}.put{color:#8a5300}.delete{color:#b3261e}
@media (prefers-color-scheme:dark){.get{color:#7fd29c}.post{color:#8bf}.put{color:#e8b26a}.delete{color:#ff9b92}}
summary code{font-size:.95em}summary span,.note{color:var(--soft)}summary span{margin-left:.6rem}
.columns{display:grid;grid-template-columns:minmax(0,1.3fr) minmax(0,1fr);gap:0 2rem;padding:0 0 1.5rem 1rem}
details>div:not(.columns){padding:.2rem 0 1rem 1rem}.example p{margin:.2rem 0;font-weight:600;font-size:.9rem}
pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:.7rem;margin:0 0 .8rem;white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:.4rem 0 1rem;font-size:.92rem}td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line)}td:last-child{overflow-wrap:anywhere;width:60%}
caption{text-align:left;font-weight:600;padding:.3rem 0}
@media (max-width:60rem){.columns{display:block}}
@media (max-width:44rem){body{display:block}nav{position:static;height:auto;border:0}nav ul{columns:2}main{padding:1rem}summary span{display:block;margin-left:0}summary code{overflow-wrap:anywhere}.columns,details>div:not(.columns){padding-left:0}}`
