/** Style sheet of the embedded provider's pages: the portal's blue, in light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f6f8fb, #0f1319);
  --sheet: light-dark(#ffffff, #161b22);
  --line: light-dark(#868e96, #6b7684);
  --text: light-dark(#1a1f26, #e6eaf0);
  --quiet: light-dark(#495057, #aeb6c2);
  --blue: light-dark(#1971c2, #74c0fc);
  --button: light-dark(#1864ab, #1971c2);
  --red: light-dark(#c92a2a, #ffa8a8);
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--canvas); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 2rem; background: var(--sheet); border-radius: .75rem;
  border: 1px solid light-dark(#dee2e6, #2b333f); box-shadow: 0 8px 32px rgb(0 30 80 / .08);
}
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.5rem; font-weight: 700; font-size: 1.1rem; }
.brand rect { fill: var(--button); }
.brand path { stroke: #fff; stroke-width: 2.6; stroke-linecap: round; fill: none; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
dl { display: flex; gap: .5rem; margin: 0 0 1.25rem; color: var(--quiet); }
dd { margin: 0; font-weight: 600; color: var(--text); overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; font-size: .9rem; }
input {
  width: 100%; padding: .6rem .75rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .4rem;
}
input[aria-invalid] { border-color: var(--red); }
button {
  width: 100%; margin-top: 1.5rem; padding: .7rem; font: inherit; font-weight: 600; color: #fff; cursor: pointer;
  background: var(--button); border: 0; border-radius: .4rem;
}
button:hover { filter: brightness(1.12); }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
a { color: var(--blue); }
.problem { margin: 0; padding: .6rem .75rem; color: var(--red); border: 1px solid currentColor; border-radius: .4rem; }
.aside { margin: 1.25rem 0 0; font-size: .9rem; }
`
