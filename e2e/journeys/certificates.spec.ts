import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { DestructionCertificate } from '@custodia/contract'
import { expectAccessible } from './accessibility.ts'
import { getLocales } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = {
  'en-GB': {
    list: 'Certificates, newest first',
    title: 'Certificate of destruction',
    payloads: 'Destroyed content',
    keys: 'Save the public keys',
    save: 'Save as a file',
    code: 'QR code of the digest',
    rule: 'Under which rule',
    choose: 'Choose a zip file or signed document',
    same: 'The certificate has the digest of the QR code.',
    other: 'The file does not have the digest of the QR code.',
    back: 'All destructions',
    conversation: /^(Group c|C)onversation$/,
    sign: 'Save the signed report',
    key: 'Verification key',
    good: 'The document is signed with your verification key and unchanged.',
    changed: 'The document does not contain what was signed.',
  },
  'pt-BR': {
    list: 'Certificados, mais recentes primeiro',
    title: 'Certificado de destruição',
    payloads: 'Conteúdo destruído',
    keys: 'Salvar as chaves públicas',
    save: 'Salvar como arquivo',
    code: 'Código QR do hash',
    rule: 'Sob qual regra',
    choose: 'Escolher zip ou documento',
    same: 'O certificado tem o hash do código QR.',
    other: 'O arquivo não tem o hash do código QR.',
    back: 'Todas as destruições',
    conversation: /^Conversa( em grupo)?$/,
    sign: 'Salvar o relatório assinado',
    key: 'Chave de verificação',
    good: 'O documento foi assinado com a sua chave de verificação e está inalterado.',
    changed: 'O conteúdo do documento não é o que foi assinado.',
  },
} as const

/** Expects a document on paper: below the client's name, with these facts and without controls. */
async function expectPrinted(page: Page, expectFacts: () => Promise<unknown>): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('main').getByText('Acme Capital', { exact: true })).toBeVisible()
  await expect(page.locator('main').getByText('Alice Carter').first()).toBeVisible()
  await expectFacts()
  for (const control of ['button', 'textbox', 'combobox', 'tab', 'navigation'] as const)
    await expect(page.getByRole(control)).toHaveCount(0)
  expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
  await page.emulateMedia({ media: 'screen' })
}

for (const locale of getLocales(import.meta.url))
  test(`a certificate of destruction is opened, printed and saved as a file (${locale})`, async ({
    page,
  }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    // The demo imported, accepted and destroyed overdue legacy records at its start.
    await openSession(page, locale, 'acme', 'alice', at(locale, '/dashboard/governance/destructions'))
    const keys = page.waitForEvent('download')
    await page.getByRole('button', { name: says.keys }).click()
    const pem = await readFile(await (await keys).path(), 'utf8')
    expect(pem).toContain('BEGIN PUBLIC KEY')
    const list = page.getByRole('table', { name: says.list })
    const first = list.getByRole('link').last()
    const reference =
      new URL((await first.getAttribute('href')) ?? '', page.url()).searchParams.get('certificate') ?? ''
    // At the end of the page the bar with the button covers no part of a field.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await expectAccessible(page)
    await first.click()
    // Moves the pointer away: the tooltip would cover the page.
    await page.mouse.move(0, 0)
    await expect(page.getByRole('heading', { level: 1, name: says.title })).toBeVisible()
    const payloads = page.getByRole('table', { name: says.payloads })
    await expect(payloads.getByRole('row').filter({ hasText: 'MMS' })).toHaveCount(2)
    await expectAccessible(page)

    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: says.save }).click()
    const saved = await file
    expect(saved.suggestedFilename()).toContain(reference)
    const { certificate, signature } = JSON.parse(
      await readFile(await saved.path(), 'utf8'),
    ) as DestructionCertificate
    expect([certificate.certificate_reference, signature.algorithm]).toEqual([reference, 'Ed25519'])
    const keyFile = test.info().outputPath('keys.pem')
    await writeFile(keyFile, pem)
    const verifier = fileURLToPath(new URL('../../apps/web/public/custodia-verify.mjs', import.meta.url))
    const printed = execFileSync(process.execPath, [verifier, await saved.path(), `--key=${keyFile}`], {
      env: {},
    })
    expect(String(printed)).toMatch(/^GOOD: Certificate of destruction\n[^]*\n {2}payloads: 2\n$/)
    for (const { checksum } of certificate.payloads)
      await expect(payloads.getByText(checksum ?? 'no digest').first()).toBeVisible()

    await expectPrinted(page, async () => {
      await expect(payloads).toBeVisible()
      await expect(page.getByRole('heading', { name: says.rule })).toBeVisible()
      await expect(page.getByText('Acme Capital (acme)')).toBeVisible()
      await expect(page.getByText(new URL('/verify', page.url()).href, { exact: true })).toBeVisible()
    })
    const code = page.getByRole('img', { name: says.code })
    await expect(code).toBeVisible()
    const digest =
      (await page
        .getByText(/^[0-9a-f]{64}$/)
        .first()
        .textContent()) ?? ''
    await page.getByRole('link', { name: says.back }).click()
    await expect(list).toBeVisible()

    // The address of the QR code verifies the saved file, and no other.
    await page.goto(at(locale, `/verify#${digest}`))
    const verify = async (name: string, text: string) => {
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: says.choose }).click()
      await (await choosing).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
    }
    const text = await readFile(await saved.path(), 'utf8')
    await verify('certificate.json', text)
    await expect(page.getByText(says.same)).toBeVisible()
    await verify('certificate.json', text.replace(/"destroyed_at": \d/, '"destroyed_at": 9'))
    await expect(page.getByText(says.other)).toBeVisible()

    // A review coverage report and a conversation.
    await page.goto(at(locale, '/dashboard/services/reviews'))
    await expect(page.getByRole('table').first()).toBeVisible()
    await expectPrinted(page, () => expect(page.getByRole('table').first()).toBeVisible())
    // The signed report is verified without the server, and no change of it is.
    const signing = page.waitForEvent('download')
    await page.getByRole('button', { name: says.sign }).click()
    const signed = await readFile(await (await signing).path(), 'utf8')
    await page.goto(at(locale, '/verify'))
    await page.getByLabel(says.key).fill(pem)
    await verify('review-coverage.json', signed)
    await expect(page.getByText(says.good)).toBeVisible()
    await verify('review-coverage.json', signed.replace('"reviewed": ', '"reviewed": 1'))
    await expect(page.getByText(says.changed)).toBeVisible()

    await page.goto(at(locale, '/dashboard/services/messages'))
    await page.locator('[role=row][data-index]').first().getByRole('link').first().click()
    const conversation = page.getByRole('region', { name: says.conversation })
    await expect(conversation.locator('[aria-current=true]')).toBeVisible()
    await expectPrinted(page, () => expect(conversation.locator('[aria-current=true]')).toBeVisible())
    expect(complaints).toEqual([])
  })
