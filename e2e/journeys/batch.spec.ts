import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, type Locale, openSession, watch, WORDS } from './person.ts'
import { expect, test } from './test.ts'

const TEXTS = inBoth(
  {
    export: 'Export with data',
    playable: 'Playable copies (MP3, MP4)',
    evidence: /^Evidence for courts/,
    key: 'Verification key',
    signed: 'Signed',
    trail: 'Audit trail (sealed)',
    make: 'Create export',
    part: /^Part 1 \(/,
    whole: '1 of 1 part downloaded',
    end: 'Cancel export',
    report: 'Exported recordings',
    files: 'Choose a zip file or signed document',
    unchanged: 'Unchanged',
    changed: 'Not as exported',
    play: 'Play in sequence',
    rule: 'Call policy, 5 years',
    print: 'Print',
    printed: 'Printed',
    audit: 'Audit',
  },
  {
    evidence: /^Provas para a Justiça/,
    trail: 'Trilha de auditoria (selada)',
    part: /^Parte 1 \(/,
    whole: '1 de 1 parte baixada',
    report: 'Gravações exportadas',
    unchanged: 'Inalterado',
    rule: 'Política: Chamada, 5 anos',
  },
)

/** Prints a recording: facts, letterhead and audit log without buttons, whichever tab is open. */
async function printRecord(
  page: Page,
  locale: Locale,
  texts: { print: string; printed: string; audit: string },
) {
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute('data-dialog', 'print')
  })
  await page.getByRole('button', { name: texts.print, exact: true }).click()
  // The dialog opens once the print is in the audit, which the page shows.
  await expect(page.locator('body')).toHaveAttribute('data-dialog', 'print')
  const paper = page.locator('[data-print-only="record"]')
  await expect(paper.getByText(texts.printed, { exact: true }).first()).toBeAttached()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { name: texts.audit, exact: true })).toBeVisible()
  await expect(page.locator('main').getByText('Acme Capital', { exact: true })).toBeVisible()
  await expect(page.getByRole('button')).toHaveCount(0)
  await page.emulateMedia({ media: 'screen' })
}

for (const locale of getLocales(import.meta.url)) {
  test(`selected calls are exported, verified with sha256sum, and played in turn (${locale})`, async ({
    page,
  }) => {
    const [words, texts] = [WORDS[locale], TEXTS[locale]]
    const complaints = watch(page)
    await openSession(
      page,
      locale,
      'acme',
      'ines',
      at(locale, '/dashboard/services/calls?payload_types=Call&states=Processed'),
    )
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    const select = async () => {
      await expect(rows.nth(1)).toBeVisible()
      await rows.first().getByRole('checkbox').check()
      await rows.nth(1).getByRole('checkbox').check()
    }
    // A press during preparation would not play later: wait for both calls.
    for (const index of [0, 1]) {
      await expect(rows.nth(1)).toBeVisible()
      await rows.nth(index).getByRole('link').first().click()
      await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
      // Why and when it goes: one line under the title.
      await expect(page.getByRole('link', { name: texts.rule })).toBeVisible()
      if (index === 0) await printRecord(page, locale, texts)
      await page.goBack()
    }
    await select()
    // The first one exports the list, the second one the selection.
    await page.getByRole('button', { name: texts.export }).nth(1).click()
    const dialog = page.getByRole('dialog', { name: texts.export })
    await dialog.getByRole('checkbox', { name: texts.playable }).check()
    await dialog.getByRole('checkbox', { name: texts.evidence }).check()
    await dialog.getByRole('button', { name: texts.make }).click()
    const made = dialog.getByRole('region')
    const downloading = page.waitForEvent('download')
    await made.getByRole('button', { name: texts.part }).click()
    const download = await downloading
    const zip = await readFile(await download.path())
    const folder = await mkdtemp(join(tmpdir(), 'custodia-export-'))
    const run = promisify(execFile)
    await run('unzip', ['-q', await download.path(), '-d', folder])
    const cwd = join(folder, download.suggestedFilename().replace('.zip', ''))
    const { stdout } = await run('sha256sum', ['--strict', '-c', 'manifest-sha256.txt'], { cwd })
    expect(stdout.match(/^data\/(originals|playable)\/.*: OK$/gm)?.length).toBeGreaterThanOrEqual(2)
    expect(await readFile(join(cwd, 'report.html'), 'utf8')).toContain(texts.report)
    const [, key = ''] = /^Signing-Key: (.*)$/m.exec(await readFile(join(cwd, 'bag-info.txt'), 'utf8')) ?? []
    const verifier = fileURLToPath(new URL('../../apps/web/public/custodia-verify.mjs', import.meta.url))
    const verified = await run(process.execPath, [verifier, cwd, `--key=${key}`])
    expect(verified.stdout).toMatch(/^GOOD: \d+ files unchanged\n/)
    // The viewer opens from disk, in the language of the export, and plays.
    const viewer = await page.context().newPage()
    await viewer.goto(pathToFileURL(join(cwd, 'index.html')).href)
    await viewer.locator('summary').first().click()
    await expect(viewer.getByText(texts.trail).first()).toBeVisible()
    const sound = viewer.locator('audio').first()
    await sound.evaluate((audio: HTMLAudioElement) => audio.load())
    await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.error)).toBeNull()
    await viewer.close()
    await rm(folder, { recursive: true })
    await expect(made.getByText(texts.whole)).toBeVisible()
    await made.getByRole('button', { name: texts.end }).click()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()

    await page.getByRole('button', { name: texts.play }).click()
    await page.waitForURL(/\/calls\/[0-9A-Z]{26}/)
    const first = page.url()
    await expect(page.getByRole('button', { name: words.pause })).toBeVisible({ timeout: 90_000 })
    // Playback follows the selection and skips the rest of the list.
    await expect(page.getByText(/^1 (?:of|de) 2$/)).toBeVisible()
    await page.keyboard.press('n')
    await expect(page).not.toHaveURL(first)
    await expect(page.getByText(/^2 (?:of|de) 2$/)).toBeVisible()
    const second = page.url()
    await expect(page.getByRole('button', { name: words.play })).toBeVisible({ timeout: 90_000 })
    await page.keyboard.press('b')
    await expect(page).toHaveURL(first)
    expect(second).not.toBe(first)

    // The public page reads the bundle in the browser; one changed byte of a recording shows.
    await page.goto(at(locale, '/verify'))
    await expectAccessible(page)
    const verify = async (buffer: Buffer) => {
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: texts.files }).click()
      await (await choosing).setFiles({ name: 'export.zip', mimeType: 'application/zip', buffer })
    }
    await page.getByLabel(texts.key).fill(key)
    await verify(zip)
    await expect(page.getByRole('alert').filter({ hasText: texts.unchanged })).toBeVisible()
    await expect(page.getByRole('alert', { name: texts.signed, exact: true })).toBeVisible()
    const changed = Buffer.from(zip)
    const place = changed.indexOf('data/originals/') + 200
    changed[place] = (changed[place] ?? 0) ^ 1
    await verify(changed)
    await expect(page.getByRole('alert').filter({ hasText: texts.changed })).toBeVisible()
    await expect(page.getByText(/^data\/originals\//)).toHaveCount(1)
    expect(complaints).toEqual([])
  })
}
