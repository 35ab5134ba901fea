/** Compares the dashboard and the alert rules of docs/monitoring with the server's metrics. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { openQueue } from '../jobs/queue.ts'
import { findProgram } from '../testing/daemon.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'

const promtool = findProgram('promtool')
const FOLDER = fileURLToPath(new URL('../../../../docs/monitoring/', import.meta.url))

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}
interface Dashboard {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[]
}

/** Words of the query language and of label matchers; all other words of an expression are names of figures or labels. */
const WORDS = /^(?:by|unless|sum|max|min|rate|increase|absent|time|histogram_quantile)$/

/** Figures that an expression reads; label lists and matchers struck out. */
const getFigures = (expr: string): string[] =>
  (expr.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ').match(/[a-z_]\w*/g) ?? []).filter(
    (word) => !WORDS.test(word),
  )

const getLabels = (expr: string): string[] => [
  ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) =>
    (list ?? '').split(',').map((name) => name.trim()),
  ),
  ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, name]) => name ?? ''),
]

describe('monitoring with Prometheus and Grafana', () => {
  let server: TestServer
  const figures = new Set<string>()
  let text: string
  before(async () => {
    server = await testServer({ DEMO: 'false' })
    // This server has no worker.
    const waiting = jobKind({ name: 'test.waits', input: z.object({}), run: async () => undefined })
    const queue = await openQueue(server.ctx.db, [waiting], () => undefined)
    await server.ctx.db.globalWrite((tx) => queue.send(tx, waiting, {}))
    await queue.stop()
    await server.sql(
      `insert into clients (client, client_name, account_key, created_at) values ('c', 'C', '', 0);
       insert into client_tasks (kind, lane, client_id, key, input, cost, due_at) select 'test', 'test', client_id, '', '{}', 1, 0 from clients`,
    )
    text = await (await fetch(`${server.url}/metrics`)).text()
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const endings = type === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']
      for (const ending of endings) figures.add(`${name}${ending}`)
    }
  })
  after(() => server?.close())

  const { groups } = parse(readFileSync(`${FOLDER}alerts.yml`, 'utf8')) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  const dashboard = JSON.parse(readFileSync(`${FOLDER}dashboard.json`, 'utf8')) as Dashboard
  const exprs = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]

  it('reads only metrics that the server exposes', () => {
    assert.ok(rules.length > 5 && dashboard.panels.length > 5)
    for (const expr of exprs) {
      const read = getFigures(expr)
      assert.ok(read.length > 0, expr)
      for (const name of read) assert.ok(figures.has(name), `${name} in ${expr}`)
    }
  })

  it('groups by labels that its metrics have', () => {
    // Prometheus itself adds the first and the second; the third is a histogram's.
    const known = new Set(['instance', 'job', 'le'])
    const names = ['store.ts', 'metrics.ts', '../ports/delivery-metrics.ts']
    const sources = names.map((name) => new URL(name, import.meta.url))
    const source = [...sources, new URL('../app.ts', import.meta.url)]
      .map((path) => readFileSync(path, 'utf8'))
      .join('')
    for (const [, list] of source.matchAll(/\[((?:'\w+'(?:, )?)+)\]/g))
      for (const [, name] of (list ?? '').matchAll(/'(\w+)'/g)) known.add(name ?? '')
    for (const expr of exprs)
      for (const name of getLabels(expr)) assert.ok(known.has(name), `${name} in ${expr}`)
  })

  it('has alert rules with names, summaries, instructions and severities', () => {
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    for (const { alert, expr, for: lasting, labels, annotations } of rules) {
      assert.match(alert, /^Custodia[A-Z]\w+$/)
      assert.match(labels.severity, /^(?:warning|critical)$/)
      assert.ok(annotations.summary && annotations.description, alert)
      assert.match(lasting ?? '0m', /^\d+[smhd]$/)
      for (const [opening, closing] of ['()', '{}', '[]'])
        assert.equal(expr.split(opening ?? '').length, expr.split(closing ?? '').length, expr)
    }
  })

  it(
    'has alert rules and metrics that promtool accepts',
    requirePart('promtool', promtool !== undefined),
    () => {
      execFileSync(promtool ?? '', ['check', 'rules', `${FOLDER}alerts.yml`], { stdio: 'pipe' })
      execFileSync(promtool ?? '', ['check', 'metrics'], { input: text, stdio: 'pipe' })
    },
  )

  it('exposes metrics with meaningful values', () => {
    assert.match(text, /^custodia_build_info\{version="\d+\.\d+\.\d+",node="24\.[\d.]+"\} 1$/m)
    assert.match(text, /^custodia_part_up\{part="database"\} 1$/m)
    assert.match(text, /^custodia_database_connections\{pool="tenants",state="max"\} 10$/m)
    assert.match(text, /^custodia_disk_free_bytes\{folder="[^"]+"\} \d{6,}/m)
    assert.match(text, /^custodia_queue_jobs\{queue="test.waits",state="created"\} 1$/m)
    assert.match(text, /^custodia_lane_tasks\{lane="test"\} 1$/m)
    assert.match(text, /^custodia_queue_oldest_seconds\{queue="test.waits"\} [\d.e-]+$/m)
    // Neither has a value yet, which is not 0.
    assert.doesNotMatch(text, /^custodia_(?:replica_lag|keystore_oldest_key_timestamp)_seconds /m)
  })

  it('is ready without its malware scanner, with a warning', async () => {
    const server = await testServer({ CLAMD_HOST: '127.0.0.1', CLAMD_PORT: '1', DEMO: 'false' })
    try {
      const ready = await fetch(`${server.url}/readyz`)
      const { parts, warnings } = (await ready.json()) as { parts: { scanner: string }; warnings: string[] }
      assert.deepEqual([ready.status, parts.scanner], [200, 'unavailable'])
      assert.match(warnings.join(), /^The malware scanner does not answer\./)
    } finally {
      await server.close()
    }
  })

  it('answers on the local machine only, or with the token when one is set', async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/metrics`, { headers })).status
    assert.equal(await status({}), 200)
    assert.equal(await status({ 'x-forwarded-for': '10.0.0.1' }), 404)
    assert.equal(await status({ forwarded: 'for=10.0.0.1' }), 404)
    const guarded = await testServer({ METRICS_TOKEN: 'secret', DEMO: 'false' })
    try {
      const ask = async (headers: Record<string, string>) =>
        (await fetch(`${guarded.url}/metrics`, { headers })).status
      assert.equal(await ask({}), 401)
      assert.equal(await ask({ authorization: 'Bearer other' }), 401)
      assert.equal(await ask({ authorization: 'Bearer secret', 'x-forwarded-for': '10.0.0.1' }), 200)
    } finally {
      await guarded.close()
    }
  })
})

test('refuses an upload without disk space, asks for a retry and alerts the provider', async (t) => {
  const server = await testServer({ DISK_RESERVE_MB: '9999999' })
  t.after(() => server.close())
  const body = Buffer.from('evidence')
  const key = 'acme/p/original'
  const sha256 = createHash('sha256').update(body).digest('hex')
  const grant = { key, size: body.length, sha256, expires_at: server.ctx.now() + 600 }
  const { url } = await server.ctx.objects.uploadAddress(grant)
  const refused = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  })
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal(await server.ctx.objects.head(key), undefined)
  assert.equal(server.ctx.space.reserved(), 0)
  const ready = await fetch(`${server.url}/readyz`)
  const { parts } = (await ready.json()) as { parts: Record<string, string> }
  assert.deepEqual([ready.status, parts['objects'], parts['space']], [503, 'unavailable', 'unavailable'])
  const [alert] = await until(
    'the alert',
    async () => await server.sql(`select * from alerts where alert_key like 'space %'`),
    (rows) => rows.length > 0,
  )
  assert.deepEqual(
    [alert?.alert_type, alert?.alert_target, alert?.alert_severity],
    ['LambdaAlert', 'admin', 'High'],
  )
})
