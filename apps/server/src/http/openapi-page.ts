import { actionsOf, api, type Endpoint, fullPath } from '@custodia/contract'

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page of the API reference without scripts: every call, its permissions and its input. */
export function openApiPage(nonce: string): string {
  const rows = (Object.entries(api) as [string, Endpoint][]).map(
    ([name, endpoint]) => `<tr id="${name}">
<td><span class="method">${endpoint.method}</span></td>
<td><code>${escape(fullPath(endpoint))}</code><br><small>${escape(endpoint.summary)}</small></td>
<td>${escape(endpoint.authentication)}</td>
<td>${actionsOf(endpoint)
      .map((action) => `<code>${escape(action)}</code>`)
      .join(' ')}</td>
<td>${Object.keys(endpoint.query?.def.shape ?? {})
      .map((key) => `<code>${escape(key)}</code>`)
      .join(' ')}</td></tr>`,
  )
  return `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>Custodia API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style nonce="${nonce}">
:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1200px;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #8884;padding:.5rem;text-align:left;vertical-align:top}
.method{font-weight:600}code{font-size:.92em}</style></head><body><h1>Custodia API</h1>
<p>The machine-readable description is at <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Phones: see docs/protocol.md.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>Caller</th><th>Action</th><th>Query</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></body></html>`
}
