import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Person, signIn } from '../../apps/server/src/testing/access-fixture.ts'
import { runJobNow } from '../../apps/server/src/testing/waits.ts'
import { expectAccessible } from './accessibility.ts'
import { getLocales, inBoth } from './locales.ts'
import { at, openSession, watch } from './person.ts'
import { expect, type Page, test } from './test.ts'

const TEXTS = inBoth(
  {
    // Each language uses another type: they share an account.
    type: 'Photo',
    isDeleted: 'Deleted',
    isDestroyed: 'Permanently destroyed',
    proposed: /^Proposed\. Takes effect/,
    shorter: 'Shorten the retention',
    mine: /^Your policy version made/,
  },
  {
    type: 'Entrevista',
    isDeleted: 'Excluída',
    isDestroyed: 'Destruída definitivamente',
    proposed: /^Proposta registrada\. Vale/,
    shorter: 'Encurtar a retenção',
    mine: /^Sua versão da política/,
  },
)
const TYPES = { 'en-GB': 'Photo', 'pt-BR': 'Interview' } as const

const DAY = 86_400

/** Switches dual control. */
async function requireTwo(alice: Person, ines: Person, is_required: boolean): Promise<void> {
  const answer = await alice.api.saveTwoPeople({ body: { is_required } })
  if ('proposal_id' in answer) await ines.api.confirmProposal({ params: { proposal_id: answer.proposal_id } })
}

for (const locale of getLocales(import.meta.url))
  test(`records are deleted and destroyed by two people, except those on legal hold (${locale})`, async ({
    copy,
    page,
    browser,
  }) => {
    const says = TEXTS[locale]
    const payload_type = TYPES[locale]
    const complaints = watch(page)
    const runNow = (name: string) => runJobNow(copy.connection, name)
    const [alice, ines] = [await signIn(copy.url, 'acme', 'alice'), await signIn(copy.url, 'acme', 'ines')]
    const second = await (await browser.newContext()).newPage()
    await openSession(second, locale, 'acme', 'ines', null)
    await openSession(page, locale, 'acme', 'alice', null)

    const all = async () => {
      const found = await alice.api.listPayloads({
        query: {
          payload_types: [payload_type],
          states: ['Processed', 'Deleted', 'Destroyed'],
          include: ['held'],
          limit: 200,
        } as never,
      })
      return found.data
    }
    const certificates = async () => {
      const found = await alice.api.listCertificates({})
      return found.data.length
    }
    const before = await certificates()
    const getCount = async (state: string) =>
      (await all()).filter((each) => each.payload_state === state).length
    const gone = await getCount('Destroyed')
    const now = Math.floor(Date.now() / 1000)
    const old = (await all()).filter(
      (each) => each.payload_state === 'Processed' && !each.is_held && each.payload_time < now - 2 * DAY,
    )
    const [restored] = old
    const held = old.find((each) => each.device_user_reference !== restored?.device_user_reference)
    const kept = old.findLast(
      (each) =>
        each.device_user_reference !== held?.device_user_reference &&
        each.payload_reference !== restored?.payload_reference,
    )
    if (!restored || !held || !kept) throw new Error(`too few ${payload_type} of several people`)

    /** Alice proposes a shorter period; Ines sees the effect and confirms. */
    const shorten = async (label: string, days: string, act: string) => {
      await page.goto(at(locale, '/dashboard/governance/retention'))
      await page.getByLabel(`${says.type}: ${label}, `).selectOption('days')
      await page.getByLabel(`${says.type}: ${label}`, { exact: true }).fill(days)
      await page.getByRole('button', { name: says('Save'), exact: true }).click()
      const asked = page.getByRole('dialog', { name: says('Shorten the retention?') })
      await asked.getByLabel(says('Apply to existing records')).check()
      await expect(
        asked
          .getByRole('table', { name: says('Due under this policy') })
          .getByRole('row')
          .filter({ hasText: says.type })
          .filter({ hasText: act }),
      ).toBeVisible()
      await asked.getByRole('button', { name: says('Save policy') }).click()
      await expect(page.getByText(says.proposed)).toBeVisible()
      await second.goto(at(locale, '/dashboard/governance/approvals?state=waiting'))
      await second
        .getByRole('row')
        .filter({ hasText: `${says.shorter}: ${says.type}` })
        .click()
      // The current and the proposed period.
      const result = second.getByRole('definition').filter({ hasText: new RegExp(`, .+ ${days} \\S+$`) })
      await expect(result).toBeVisible()
      await expect(
        second
          .getByRole('table', { name: says('Due under this policy') })
          .getByRole('row')
          .filter({ hasText: says.type })
          .filter({ hasText: act }),
      ).toBeVisible()
      await expectAccessible(second)
      await second.getByRole('button', { name: says('Confirm'), exact: true }).click()
      await second
        .getByRole('dialog')
        .last()
        .getByRole('button', { name: says('Confirm'), exact: true })
        .click()
      await expect(second.getByText(says('Confirmed and done'))).toBeVisible()
    }

    await requireTwo(alice, ines, true)
    try {
      await shorten(says('Delete after'), '1', says.isDeleted)
      expect(await getCount('Deleted')).toBe(0)
      await runNow('retention.carry-out')
      expect(await getCount('Deleted')).toBeGreaterThanOrEqual(old.length)
      // After a restore the period starts again.
      await alice.api.restorePayload({ params: { payload_reference: restored.payload_reference } })
      await alice.api.setLegalHold({
        params: { target_type: 'DeviceUser', target: held.device_user_reference ?? '' },
      })
      // From here on each destruction needs a release.
      await page.goto(at(locale, '/dashboard/governance/destructions'))
      await page
        .getByRole('button', { name: says('Require release before destruction'), exact: true })
        .click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: says('Require release'), exact: true })
        .click()
      await expect(page.getByText(says('Destructions now need a release'))).toBeVisible()
      await shorten(says('Destroy after'), '0', says.isDestroyed)
      await runNow('retention.carry-out')
      expect(await getCount('Destroyed')).toBe(gone)
      const open = async (shown: Page) => {
        await shown.goto(at(locale, '/dashboard/governance/destructions'))
        await shown
          .getByRole('table', { name: says('Lists, newest first') })
          .getByRole('link')
          .first()
          .click()
        await expect(shown.getByRole('table', { name: says('Recordings, oldest first') })).toBeVisible()
        await shown.mouse.move(0, 0)
      }
      await open(page)
      await expect(page.getByText(says.mine)).toBeVisible()
      await expect(page.getByRole('button', { name: says('Release for destruction') })).toHaveCount(0)
      await open(second)
      const move = async (act: string) => {
        await second.getByRole('checkbox', { name: kept.payload_reference }).check()
        await second.getByRole('button', { name: `${act} (1)` }).click()
        const asked = second.getByRole('dialog')
        await asked.getByRole('textbox', { name: says('Reason') }).fill('The regulator asked for it')
        await asked.getByRole('button', { name: act, exact: true }).click()
        await expect(asked).toHaveCount(0)
      }
      await move(says('Remove'))
      await expectAccessible(second)
      const release = async () => {
        await second.getByRole('button', { name: says('Release for destruction') }).click()
        await second
          .getByRole('dialog')
          .getByRole('button', { name: says('Release for destruction') })
          .click()
        await expect(second.getByText(says('Released. Destruction follows within minutes.'))).toBeVisible()
        await runNow('retention.carry-out')
      }
      await release()
      const states = new Map((await all()).map((each) => [each.payload_reference, each]))
      expect(states.get(kept.payload_reference)?.payload_state).toBe('Deleted')
      expect(states.get(restored.payload_reference)?.payload_state).toBe('Processed')
      for (const { payload_reference, device_user_reference } of old) {
        if ([restored, kept].some((each) => each.payload_reference === payload_reference)) continue
        const isHeld = device_user_reference === held.device_user_reference
        expect(
          states.get(payload_reference)?.payload_state,
          `${payload_reference} of ${device_user_reference}`,
        ).toBe(isHeld ? 'Deleted' : 'Destroyed')
      }

      // A hold released by two people protects for seven more days.
      const released = await alice.api.releaseLegalHold({
        params: { target_type: 'DeviceUser', target: held.device_user_reference ?? '' },
        query: { reason: 'The inquiry is over' },
      })
      if (!('proposal_id' in released)) throw new Error('one person released a hold')
      await ines.api.confirmProposal({ params: { proposal_id: released.proposal_id } })
      await runNow('retention.carry-out')
      expect(
        (await all()).find((each) => each.payload_reference === held.payload_reference)?.payload_state,
      ).toBe('Deleted')
      // An excluded record follows the policy again once it is put back.
      await open(second)
      await move(says('Return'))
      await runNow('retention.carry-out')
      await open(second)
      await release()
      expect(
        (await all()).find((each) => each.payload_reference === kept.payload_reference)?.payload_state,
      ).toBe('Destroyed')
    } finally {
      const off = await alice.api.saveDestructionReview({ body: { is_required: false } })
      if ('proposal_id' in off) await ines.api.confirmProposal({ params: { proposal_id: off.proposal_id } })
      await requireTwo(alice, ines, false)
    }

    // The run is certified after its keys are destroyed; anyone can verify the certificate without the product.
    await runNow('destruction.finish')
    await expect.poll(certificates, { timeout: 120_000 }).toBeGreaterThan(before)
    await page.goto(at(locale, '/dashboard/governance/destructions'))
    const saved = async (button: string, name: string) => {
      const file = page.waitForEvent('download')
      await page.getByRole('button', { name: button }).click()
      const path = join(test.info().outputDir, name)
      await (await file).saveAs(path)
      return path
    }
    const keys = await saved(says('Save the public keys'), 'keys.pem')
    await page
      .getByRole('table', { name: says('Certificates, newest first') })
      .getByRole('link')
      .first()
      .click()
    // Moves the pointer away: the tooltip would cover the page.
    await page.mouse.move(0, 0)
    await expect(
      page.getByRole('heading', { level: 1, name: says('Certificate of destruction') }),
    ).toBeVisible()
    await expectAccessible(page)
    const certificate = await saved(says('Save as a file'), 'certificate.json')
    const check = (path: string) =>
      promisify(execFile)(process.execPath, [
        '../apps/server/src/main.ts',
        'certificate',
        path,
        `--key=${keys}`,
      ])
    expect((await check(certificate)).stdout).toContain('GOOD')
    const forged = join(test.info().outputDir, 'forged.json')
    await writeFile(forged, (await readFile(certificate, 'utf8')).replace(/"part":\s*1/, '"part": 2'))
    await expect(check(forged)).rejects.toThrow()
    expect(complaints).toEqual([])
    await second.context().close()
  })
