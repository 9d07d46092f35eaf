/** The stylesheet of the documentation. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #5b6470; --line: #d9dee4; --back: #fff; --soft: #f5f7f9; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --dim: #9aa4af; --line: #333a42; --back: #15181c; --soft: #1d2126; --link: #7db7f5; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--back); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
header.top { display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--back); }
header.top h1 { font-size: 1.1rem; margin: 0; }
header.top label { margin-left: auto; font-size: .9rem; color: var(--dim); }
.layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { padding: 1rem 1.25rem; border-right: 1px solid var(--line); font-size: .9rem; overflow: auto; max-height: calc(100vh - 3.5rem); position: sticky; top: 3.5rem; }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--dim); margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { text-decoration: none; }
main { padding: 1rem 1.5rem 4rem; min-width: 0; }
.page { max-width: 44rem; margin: 2rem auto; padding: 0 1.25rem; }
section.operation { border-top: 1px solid var(--line); padding: 1.25rem 0; }
.method { font: 600 .75rem/1.6 ui-monospace, monospace; padding: 0 .4rem; border-radius: .25rem; border: 1px solid currentColor; }
code, pre, textarea, input.mono { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: var(--soft); padding: .75rem; border-radius: .4rem; overflow: auto; max-height: 30rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
input, textarea, select, button { font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: .35rem; padding: .3rem .5rem; }
textarea { width: 100%; min-height: 8rem; font-family: ui-monospace, monospace; font-size: .85rem; }
button { cursor: pointer; border-color: var(--link); }
.dim { color: var(--dim); }
.field { display: grid; gap: .2rem; margin: .75rem 0; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 48rem) { .layout { grid-template-columns: 1fr; } nav { position: static; max-height: none; border-right: 0; border-bottom: 1px solid var(--line); } }
`
