/** The stylesheet of the hosted page. Each text colour has a contrast of at least 4.5 to 1 against its background. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #545d69; --line: #767f8b; --back: #f3f5f7; --card: #ffffff; --link: #0b5cad; --on-link: #ffffff; --error: #b3261e; --error-back: #fdecea; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceff2; --dim: #a7b0bb; --line: #7d8793; --back: #101215; --card: #1a1d22; --link: #8ec1fa; --on-link: #101215; --error: #ffb4ab; --error-back: #3b1a18; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--back); font: 1.0625rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 2.5rem auto; padding: 2rem; background: var(--card); border-radius: .75rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.0625rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
a { color: var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1.5rem; }
dt { color: var(--dim); }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.dim { color: var(--dim); }
.field { margin: 0 0 1.25rem; }
label { display: block; font-weight: 600; }
.hint { display: block; color: var(--dim); }
.fault { display: block; color: var(--error); font-weight: 600; }
input, select { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
[aria-invalid="true"] { border: 2px solid var(--error); }
button { width: 100%; padding: .75rem; font: inherit; font-weight: 600; color: var(--on-link); background: var(--link); border: 0; border-radius: .4rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.summary { padding: 1rem 1.25rem; margin: 0 0 1.5rem; color: var(--error); background: var(--error-back); border-left: .3rem solid var(--error); }
.summary ul { margin: 0; padding-left: 1.25rem; }
.summary a { color: inherit; }
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem; color: var(--dim); }
@media (max-width: 38rem) { main { margin: 0; padding: 1.25rem; border-radius: 0; min-height: 100vh; } }
`
