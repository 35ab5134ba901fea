import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { at, type Locale, openSession, watch } from './person.ts'

const TEXTS = {
  'en-GB': {
    list: 'Certificates, the newest first',
    none: 'Nothing has been destroyed yet.',
    title: 'Certificate of destruction',
    payloads: 'What was destroyed',
    call: 'Call',
    keys: 'Save the public keys',
    save: 'Save as a file',
    print: 'Print',
    back: 'Back to retention',
  },
  'pt-BR': {
    list: 'Certificados, os mais novos primeiro',
    none: 'Nada foi destruído ainda.',
    title: 'Certificado de destruição',
    payloads: 'O que foi destruído',
    call: 'Chamada',
    keys: 'Salvar as chaves públicas',
    save: 'Salvar como arquivo',
    print: 'Imprimir',
    back: 'Voltar à retenção',
  },
} as const

const REFERENCE = '01M84M10XTABFWMBFJ8R1F0AXH'
const HEAD = {
  client: 'acme',
  certificate_reference: REFERENCE,
  run: '01M84M10FH8WFGVJ2PBZ44DR0G',
  part: 1,
  parts: 1,
  began_at: 1795451552,
  ended_at: 1795451553,
  issued_at: 1795451600,
}
const KEY = '0123456789abcdef0123456789abcdef'
const CERTIFICATE = {
  certificate: {
    format: 'custodia.destruction/1',
    ...HEAD,
    payloads: [
      {
        payload_reference: '01M84M10DQFNZK9M814Q8FNAW1',
        payload_type: 'Call',
        payload_time: 1791995552,
        announced_at: 1791995552,
        processed_at: 1791995560,
        deleted_at: 1795451552,
        destroyed_at: 1795451552,
        destroyed_by: 'retention (system)',
        finished_at: 1795451590,
        keys: 2,
        objects: 2,
        checksum: 'a'.repeat(64),
        digests: [{ kind: 'original', size: 9, sealed_size: 73, checksum: 'b'.repeat(64) }],
        policy_version: 3,
        rule: {
          entity_type: 'Payload',
          payload_type: 'Call',
          destroy_after_days: 30,
          retention_timestamp: 'payload_time',
          required_receipts: ['archive'],
          required_transfers: [],
        },
        gates: { receipts: ['archive'], transfers: [] },
        holds: { people_checked: 2, ended: 0 },
      },
    ],
  },
  signature: { algorithm: 'Ed25519', key_id: KEY, value: 'c2lnbmF0dXJl' },
}

for (const locale of ['en-GB', 'pt-BR'] as const satisfies Locale[])
  test(`a certificate of destruction is read, printed and kept as a file (${locale})`, async ({ page }) => {
    const says = TEXTS[locale]
    const complaints = watch(page)
    const isClean = async () => {
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    }
    await openSession(page, locale, 'acme', 'alice')
    await page.goto(at(locale, '/dashboard/services?tab=retention'))
    await expect(page.getByText(says.none)).toBeVisible()
    const keys = page.waitForEvent('download')
    await page.getByRole('button', { name: says.keys }).click()
    const pem = await readFile(await (await keys).path(), 'utf8')
    expect(pem).toContain('BEGIN PUBLIC KEY')

    // The account has destroyed nothing: what the server would answer if it had.
    const summary = { ...HEAD, payloads: 1, key_id: KEY, checksum: 'c'.repeat(64) }
    await page.route(/account\/retention\/certificates(\?|$)/, (route) =>
      route.fulfill({ json: { count: 1, data: [summary] } }),
    )
    await page.route(new RegExp(`certificates/${REFERENCE}`), (route) => route.fulfill({ json: CERTIFICATE }))
    await page.reload()
    const list = page.getByRole('table', { name: says.list })
    await expect(list.getByRole('row')).toHaveCount(2)
    await isClean()
    await list.getByRole('link', { name: REFERENCE }).click()
    // Off what now stands where the link was: its hint would lie over the page.
    await page.mouse.move(0, 0)
    await expect(page.getByRole('heading', { level: 1, name: says.title })).toBeVisible()
    const payloads = page.getByRole('table', { name: says.payloads })
    await expect(payloads.getByRole('row').nth(1)).toContainText(says.call)
    await expect(payloads).toContainText('archive')
    await expect(payloads.getByText('a'.repeat(64))).toBeInViewport()
    await isClean()

    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: says.save }).click()
    const saved = await file
    expect(saved.suggestedFilename()).toContain(REFERENCE)
    expect(JSON.parse(await readFile(await saved.path(), 'utf8'))).toEqual(CERTIFICATE)

    // On paper there are no buttons.
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('button', { name: says.print })).toBeHidden()
    await expect(payloads).toBeVisible()
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('link', { name: says.back }).click()
    await expect(list).toBeVisible()
    expect(complaints).toEqual([])
  })
