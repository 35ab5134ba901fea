import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stateCompleteness } from '../../apps/server/src/payloads/sequence.ts'
import { openDatabase } from '../../apps/server/src/ports/database/pool.ts'
import { localFileKeys } from '../../apps/server/src/ports/keys/local-file.ts'
import type { DemoCopy } from '../snapshot.ts'
import { getLocales } from './locales.ts'
import { at, type Locale, openSession, visit, watch, WORDS } from './person.ts'
import { expect, test, type Browser } from './test.ts'

const SAYS = {
  'en-GB': {
    view: 'Played and downloaded',
    played: /^Bob Singh played call with /,
    switch: 'Include system activity',
    profile: 'loaded their own profile',
    all: 'Audit log of this recording',
    entries: 'Entries of this playback',
    handedOut: 'data accessed',
    sealed: 'Sealed log',
    save: 'Save the log',
    who: 'Who may hear',
    period: 'Period',
    could: 'Who could',
    did: 'Who did',
    csv: 'Save as CSV',
    report: 'Save the signed report',
  },
  'pt-BR': {
    view: 'Reproduções e downloads',
    played: /^Bob Singh reproduziu a chamada com /,
    switch: 'Incluir atividade do sistema',
    profile: 'carregou o próprio perfil',
    all: 'Trilha de auditoria desta gravação',
    entries: 'Registros desta reprodução',
    handedOut: 'dados acessados',
    sealed: 'Trilha selada',
    save: 'Salvar a trilha',
    who: 'Quem pode ouvir',
    period: 'Período',
    could: 'Quem podia',
    did: 'Quem abriu',
    csv: 'Salvar como CSV',
    report: 'Salvar o relatório assinado',
  },
} as const satisfies Record<Locale, unknown>

/** Calls that no other journey plays, one per language. */
const CALLS = { 'en-GB': 6, 'pt-BR': 7 } as const satisfies Record<Locale, number>

for (const locale of getLocales(import.meta.url))
  test(`the audit page shows in three steps who played a call, with one row per playback (${locale})`, async ({
    browser,
  }) => {
    const words = WORDS[locale]
    const says = SAYS[locale]
    const open = async (user: string) => {
      const page = await (await browser.newContext({ locale })).newPage()
      await openSession(page, locale, 'acme', user, null)
      return page
    }
    const bob = await open('bob')
    await bob.goto(at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'))
    await bob.locator(`[data-index="${CALLS[locale]}"]`).click()
    await bob.keyboard.press('Enter')
    await bob.waitForURL(/\/calls\/[0-9A-Z]{26}/)
    const reference = new URL(bob.url()).pathname.split('/').at(-1) ?? ''
    await bob.getByRole('button', { name: words.play }).click()
    const audio = bob.locator('audio')
    const position = () => audio.evaluate((element: HTMLAudioElement) => element.currentTime)
    await expect.poll(position).toBeGreaterThan(1)
    await expect
      .poll(() => audio.evaluate((element: HTMLAudioElement) => element.duration))
      .toBeGreaterThan(2)
    // Another range of the same playback.
    await audio.evaluate((element: HTMLAudioElement) => {
      element.currentTime = element.duration - 2
    })
    await expect.poll(position).toBeGreaterThan(2)

    const alice = await open('alice')
    const complaints = watch(alice)
    await alice.goto(at(locale, '/dashboard/account/audit'))
    const plays = alice.getByRole('gridcell').filter({ hasText: says.played })
    await alice.getByRole('link', { name: says.view, exact: true }).click()
    await alice
      .getByRole('link', { name: `…${reference.slice(-8)}` })
      .first()
      .click()
    await expect(alice).toHaveURL(new RegExp(`payload_reference=${reference}`))
    await expect(plays).toHaveCount(1)
    await alice.getByRole('row').filter({ has: plays }).locator('[data-peek]').click()
    const entries = alice.getByRole('list', { name: says.entries }).getByRole('listitem')
    await expect(entries.filter({ hasText: says.handedOut })).not.toHaveCount(0)
    await expect(entries).not.toHaveCount(1)

    // The recording's own audit links to the same record.
    await visit(alice, at(locale, `/dashboard/services/calls/${reference}`))
    // Who else may hear it, and by which role.
    await alice.keyboard.press('Control+k')
    await alice.getByRole('dialog').getByRole('combobox').fill(says.who)
    await alice.keyboard.press('Enter')
    await expect(alice.getByRole('tab', { name: words.access })).toBeFocused()
    const people = alice.getByRole('tabpanel').getByRole('row')
    await expect(people.filter({ hasText: /alice/i })).toContainText('Compliance Manager')
    // Who could today and who did: two clicks and the dates.
    await alice.getByText(says.period, { exact: true }).click()
    const today = await alice.evaluate(() => new Date().toLocaleDateString('sv-SE'))
    for (const side of [0, 1]) await alice.locator('input[type=date]').nth(side).fill(today)
    const listed = (name: string) => alice.getByRole('table', { name }).getByRole('row')
    await expect(listed(says.could).filter({ hasText: 'Bob Singh' })).toContainText('Compliance Reviewer')
    await expect(listed(says.did).filter({ hasText: 'Bob Singh' })).not.toHaveCount(0)
    let report = ''
    for (const name of [says.csv, says.report]) {
      const saving = alice.waitForEvent('download')
      await alice.getByRole('button', { name }).click()
      const saved = await (await saving).path()
      expect(await readFile(saved, 'utf8')).toContain('Bob Singh')
      if (name === says.report) report = saved
    }
    await alice.getByRole('tab', { name: words.audit }).click()
    await alice.getByRole('link', { name: says.all }).click()
    await expect(plays).toHaveCount(1)

    // Automatic calls are hidden by default.
    await visit(alice, at(locale, '/dashboard/account/audit?users=alice'))
    const profile = alice.getByRole('gridcell').filter({ hasText: says.profile })
    await expect(alice.getByRole('row').nth(1)).toBeVisible()
    await expect(profile).toHaveCount(0)
    await alice.getByRole('switch', { name: says.switch }).click({ force: true })
    await expect(profile.first()).toBeVisible()

    // An auditor verifies the saved log with the file that the portal serves.
    await alice.getByRole('link', { name: says.sealed }).click()
    const key = await alice.getByText(/^custodia\/acme\+/).innerText()
    const downloading = alice.waitForEvent('download')
    await alice.getByRole('button', { name: says.save }).click()
    const log = await (await downloading).path()
    const verifier = fileURLToPath(new URL('../../apps/web/public/custodia-verify.mjs', import.meta.url))
    const verify = (file: string) =>
      String(execFileSync(process.execPath, [verifier, file, `--key=${key}`], { env: {} }))
    expect(verify(log)).toMatch(/^GOOD: custodia\/acme, \d+ entries sealed\n/)
    expect(verify(report)).toMatch(/^GOOD: Access report\n/)
    expect(complaints).toEqual([])
  })

const DAY = 86_400

/** States what phones recorded eight days ago, of which the archive lost one number. */
async function stateLastWeek(copy: DemoCopy): Promise<{ lost: string }> {
  const db = await openDatabase({ connection: copy.connection, appName: 'journey' })
  await db.owner.query('update payload_sequence set noted_at = noted_at - $1::int', [8 * DAY])
  const { rows } = await db.owner.query<{ client_id: number; seq: number }>(
    `delete from payload_sequence where ctid = (
       select s.ctid from payload_sequence s join payload_sequence n using (client_id, chain_id, type)
       join clients c using (client_id) where c.client = 'acme' and n.seq = s.seq + 1 order by s.seq desc limit 1)
     returning client_id, seq`,
  )
  const [lost] = rows
  if (!lost) throw new Error('no phone of the demo numbers its recordings')
  const parts = {
    db,
    keys: localFileKeys({ folder: join(copy.dataDir, 'keys') }),
    log: { debug: () => undefined } as never,
    now: () => Math.floor(Date.now() / 1000) - 7 * DAY,
  }
  await stateCompleteness(parts, { client_id: lost.client_id, client: 'acme' })
  await db.close()
  return { lost: String(lost.seq) }
}

/** Unpacks the export, and drops its folder and one of its files on the page that verifies without a session. */
async function dropUnpacked(
  browser: Browser,
  { folder, zip, key }: { folder: string; zip: string; key: string },
): Promise<void> {
  const unpacked = join(folder, 'unpacked')
  execFileSync('unzip', ['-q', zip, '-d', unpacked])
  const [bag = ''] = await readdir(unpacked)
  const page = await (await browser.newContext()).newPage()
  await page.goto('/verify')
  const box = await page.getByRole('region', { name: 'Files to verify' }).boundingBox()
  const session = await page.context().newCDPSession(page)
  const drop = async (path: string) => {
    const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 }
    const data = { items: [], files: [path], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, ...at, data })
  }
  await drop(join(unpacked, bag, 'evidence/checkpoint.txt'))
  await expect(page.getByText('Enter the verification key first.')).toBeVisible()
  await page.getByLabel('Verification key').fill(key)
  await drop(join(unpacked, bag, 'evidence/checkpoint.txt'))
  await expect(
    page.getByText(/^custodia\/acme: \d+ entries sealed, 0 compared, 1 checkpoint signed\.$/),
  ).toBeVisible()
  await drop(join(unpacked, bag))
  await expect(page.getByText('The manifest is signed with your verification key.')).toBeVisible()
  await expect(page.getByText(/^All \d+ files have the digest in the manifest\.$/)).toBeVisible()
  const trail = join(unpacked, bag, 'evidence/audit-trail.csv')
  await writeFile(trail, `${await readFile(trail, 'utf8')} `)
  await drop(join(unpacked, bag))
  const changed = page.getByRole('row').filter({ hasText: 'evidence/audit-trail.csv' })
  await expect(changed).toContainText('Changed since the export')

  // The page speaks Portuguese about faults, too.
  await page.goto('/pt-BR/verify')
  await page.getByLabel('Chave de verificação').fill(key)
  const checkpoint = join(unpacked, bag, 'evidence/checkpoint.txt')
  await writeFile(checkpoint, (await readFile(checkpoint, 'utf8')).replace(/\n(\d+)\n/, '\n1$1\n'))
  await drop(checkpoint)
  await expect(
    page.getByText('O ponto de verificação do arquivo não tem assinatura de uma chave confiável.'),
  ).toBeVisible()
  await page.context().close()
}

test('an auditor verifies an export without the server, and asks who may hear it and what is missing', async ({
  browser,
  page,
  copy,
}) => {
  const complaints = watch(page)
  await openSession(page, 'en-GB', 'acme', 'ines', '/dashboard/account/audit/sealed')
  const key = await page.getByText(/^custodia\/acme\+/).innerText()
  await visit(page, '/dashboard/services/calls?payload_types=Call&states=Processed')
  // Nadia is on hold for a legal matter.
  await page.getByRole('row').filter({ hasNotText: 'Nadia' }).nth(1).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Export with data' }).nth(1).click()
  const dialog = page.getByRole('dialog', { name: 'Export with data' })
  await dialog.getByRole('checkbox', { name: /^Evidence for courts/ }).check()
  await dialog.getByRole('button', { name: 'Create export' }).click()
  const downloading = page.waitForEvent('download')
  await dialog
    .getByRole('region')
    .first()
    .getByRole('button', { name: /^Part 1 \(/ })
    .click()

  // To another folder with one program, which asks no server.
  const folder = await mkdtemp(join(tmpdir(), 'custodia-auditor-'))
  const [zip, verifier] = [join(folder, 'export.zip'), join(folder, 'custodia-verify.mjs')]
  await (await downloading).saveAs(zip)
  await writeFile(verifier, await (await page.request.get('/custodia-verify.mjs')).body())
  const verify = () =>
    spawnSync(process.execPath, [verifier, zip, `--key=${key}`], { cwd: folder, encoding: 'utf8', env: {} })
  expect(verify().stdout).toMatch(
    /^GOOD: \d+ files unchanged\n {2}signed with custodia\/acme.*\n {2}custodia\/acme: \d+ entries/,
  )
  const bytes = await readFile(zip)
  await dropUnpacked(browser, { folder, zip, key })
  const place = bytes.indexOf('data/originals/') + 200
  await writeFile(zip, bytes.with(place, (bytes[place] ?? 0) ^ 1))
  const named =
    /^NOT GOOD: data\/originals\/\S+ \(recording (\w{26})\): changed: its SHA-256 is not the one in the manifest\n$/
  const { stderr } = verify()
  expect(stderr).toMatch(named)
  // The CMS signature, which `openssl` verifies: the last bytes before the header of the next file.
  const signature = bytes.indexOf('tagmanifest-sha256.txt.p7s')
  const inside = bytes.indexOf(Buffer.from('PK\x07\x08', 'latin1'), signature) - 20
  await writeFile(zip, bytes.with(inside, (bytes[inside] ?? 0) ^ 1))
  expect(verify().stderr).toMatch(/^NOT GOOD: \S+\/tagmanifest-sha256\.txt\.p7s is missing, was changed/)

  // Who may hear that recording now, and who could in March, before the archive began.
  await visit(page, `/dashboard/services/calls/${named.exec(stderr)?.[1]}`)
  await page.getByRole('tab', { name: 'Access' }).click()
  await expect(page.getByRole('tabpanel').getByRole('row').filter({ hasText: /alice/i })).toContainText(
    'Compliance Manager',
  )
  await page.getByText('Earlier', { exact: true }).click()
  await page.getByLabel('Time', { exact: true }).fill('2026-03-15T12:00')
  await expect(page.getByText('Nothing is known of the time before.')).toBeVisible()

  // What last week lacks, as the server signed it then.
  const { lost } = await stateLastWeek(copy)
  await visit(page, '/dashboard/devices/completeness')
  const gap = page.getByRole('table', { name: 'Gaps' }).getByRole('row').nth(1)
  await expect(gap).toContainText('Never arrived')
  await expect(gap.getByRole('link')).toHaveText(/^\p{L}+ .+ · /u)
  await expect(gap.getByRole('cell', { name: lost, exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Statements' }).getByRole('row')).toHaveCount(2)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Save the statement of / }).click()
  const statement = readFile(await (await saving).path())
  const stated = (text: Buffer) => {
    const file = join(folder, 'statement.json')
    writeFileSync(file, text)
    return spawnSync(process.execPath, [verifier, file, `--key=${key}`], { encoding: 'utf8', env: {} })
  }
  expect(stated(await statement).stdout).toMatch(/^GOOD: Statement of completeness\n[^]*\n {2}missing: [1-9]/)
  const figure = (await statement).indexOf('"missing": ') + '"missing": '.length
  expect(stated((await statement).with(figure, '0'.charCodeAt(0)) as Buffer).stderr).toMatch(
    /^NOT GOOD: Statement of completeness: it does not contain what was signed/,
  )
  await rm(folder, { recursive: true })

  // Another auditor, limited to one legal matter, sees the recordings of its person and nothing else.
  await visit(page, '/dashboard/access/people?preview=hugo')
  await page.getByRole('button', { name: 'Assign roles…' }).click()
  const drawer = page.getByRole('dialog')
  const choose = async (label: string, option: string) => {
    await drawer.getByRole('combobox', { name: label }).fill(option)
    await page.getByRole('option', { name: option, exact: true }).click()
    await drawer.getByRole('combobox', { name: label }).press('Tab')
  }
  await choose('Roles', 'Compliance Manager')
  await drawer.getByText('All groups', { exact: true }).click()
  await choose('Only recordings of these legal matters', 'Orders of September')
  await drawer
    .getByLabel('Access ends')
    .fill(new Date(Date.now() + 2 * DAY * 1000).toISOString().slice(0, 10))
  await drawer.getByRole('button', { name: 'Save', exact: true }).click()
  const anyway = drawer.getByRole('button', { name: 'Save anyway' })
  await expect(anyway.or(page.getByText('Roles assigned'))).toBeVisible()
  if (await anyway.isVisible()) await anyway.click()
  await expect(page.getByText('Only recordings of', { exact: true })).toBeVisible()
  await expect(page.getByText('Orders of September')).toBeVisible()

  const outside = await (await browser.newContext()).newPage()
  const outsideComplaints = watch(outside)
  await openSession(outside, 'en-GB', 'acme', 'hugo', '/dashboard')
  await expect(outside).toHaveURL(/\/dashboard\/services\/calls$/)
  await expect(outside.getByRole('row').nth(1)).toContainText('Nadia')
  const others = outside.getByRole('row').filter({ hasNotText: 'Nadia' })
  await expect(others).toHaveCount(1)
  const navigation = outside.getByRole('navigation')
  await expect(navigation.getByRole('link', { name: 'Calls' })).toBeVisible()
  for (const name of ['Devices', 'Audit', 'Legal holds'])
    await expect(navigation.getByRole('link', { name, exact: true })).toHaveCount(0)
  await navigation.getByRole('link', { name: 'Comments', exact: true }).click()
  await expect(outside.getByRole('heading', { name: 'Comments' })).toBeVisible()
  await outside.waitForLoadState('networkidle')
  expect([...complaints, ...outsideComplaints]).toEqual([])
  await visit(outside, `/dashboard/services/calls/${named.exec(stderr)?.[1]}`)
  await expect(outside.getByText('Data not found').first()).toBeVisible()
  // `system/s3.test.ts` uploads a recording to a real S3 server with a lock, whose owner fails to delete it.
})
