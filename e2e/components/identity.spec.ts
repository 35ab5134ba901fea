import {
  type Answer,
  type Api,
  CLAIM_PRESETS,
  DEFAULT_CLAIM_MAPPING,
} from '../../packages/contract/src/index.ts'
import { expect, test } from './wire.ts'

const PROPOSAL = '01K9Z000000000000000000PR1'
const AT = 1_790_000_000

const change = {
  proposal_id: PROPOSAL,
  issuer: 'https://new.example',
  oidc_client_id: 'portal',
  proposed_at: AT,
  proposed_by: 'dave (provider)',
  expires_at: AT + 604_800,
  seconded_by: null,
  takes_effect_at: null,
}
type Account = Extract<Answer<Api['listClients']>, { data: unknown }>['data'][number]
const account = (identity_change: Account['identity_change']): Account => ({
  client: 'acme',
  client_name: 'Acme Capital',
  version: '1',
  is_provider: false,
  created_at: 0,
  oidc_issuer: 'https://old.example',
  oidc_client_id: 'portal',
  oidc_device_client_id: null,
  claim_mapping: DEFAULT_CLAIM_MAPPING,
  identity_change,
  first_administrator: null,
  suspended_at: null,
  suspended_by: null,
  suspended_reason: null,
  deletion_proposed_at: null,
  deletion_proposed_by: null,
  devices: 1,
  device_users: 1,
  open_alerts: 0,
  waiting_uploads: 0,
})
const seconded = { ...change, seconded_by: 'alice (provider)', takes_effect_at: AT + 259_200 }

test('staff see that a change of the identity provider waits, and confirm that the client cannot sign in', async ({
  page,
  wire,
}) => {
  wire.answers.listClients = () => ({ count: 1, data: [account(change)] })
  wire.answers.listRolesOfClient = () => ({ count: 0, data: [] })
  wire.answers.secondClientIdentity = () => account(seconded)
  await wire.show('identity')
  const waiting = page.getByRole('alert').filter({ hasText: 'Waiting for confirmation' })
  await expect(waiting).toContainText('https://new.example')
  await expect(waiting).toContainText('An administrator of Acme Capital must confirm it')
  await waiting.getByRole('button', { name: 'Client cannot sign in…' }).click()
  wire.answers.listClients = () => ({ count: 1, data: [account(seconded)] })
  await page
    .getByRole('dialog', { name: 'Confirm that Acme Capital cannot sign in?' })
    .getByRole('button', { name: 'Confirm' })
    .click()
  await expect(waiting).toContainText('unless the client rejects it')
  await expect
    .poll(() => wire.asked('secondClientIdentity').map(({ body }) => body))
    .toEqual([{ proposal_id: PROPOSAL }])
})

test('the client sees where its people would sign in, and by when it has to reject a change', async ({
  page,
  wire,
}) => {
  const { issuer, oidc_client_id } = change
  wire.answers.readProposal = () => ({
    client: 'acme',
    proposal_id: PROPOSAL,
    state: 'waiting',
    proposed_at: AT,
    proposed_by: 'dave (provider)',
    expires_at: AT + 604_800,
    decided_at: null,
    decided_by: null,
    seconded_by: 'erin (provider)',
    takes_effect_at: AT + 259_200,
    updated_by: 'erin (provider)',
    act: {
      kind: 'ChangeIdentityProvider',
      issuer,
      oidc_client_id,
      oidc_device_client_id: null,
      former_issuer: 'https://old.example',
      claim_mapping: {
        ...CLAIM_PRESETS.okta,
        rules: [{ value: 'Auditors', roles: ['Auditor'], groups: [], all_groups: true }],
      },
    },
    reason: null,
    rejected_reason: null,
  })
  await wire.show('approval')
  await expect(page.getByText('Sign in at https://new.example')).toBeVisible()
  await expect(page.getByText('https://old.example')).toBeVisible()
  await expect(page.getByText('your account cannot sign in')).toBeVisible()
  await expect(page.getByText('Auditors', { exact: true })).toBeVisible()
  for (const name of ['Confirm', 'Reject'])
    await expect(page.getByRole('button', { name, exact: true })).toBeEnabled()

  // A key that closes the dialog by mistake takes no text with it.
  await page.getByRole('button', { name: 'Reject', exact: true }).click()
  const reason = page.getByRole('textbox', { name: 'Reason' })
  await reason.fill('Unknown issuer')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await expect(reason).toHaveValue('Unknown issuer')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('staff map claims with a preset and a rule, and preview the resulting user before they propose it', async ({
  page,
  wire,
}) => {
  wire.answers.listClients = () => ({ count: 1, data: [account(null)] })
  wire.answers.listRolesOfClient = () => ({ count: 0, data: [] })
  wire.answers.previewClaimsOfClient = () => ({
    refusal: null,
    person: {
      user_reference: 'ada',
      display_name: 'Ada Byron',
      email: null,
      user_group: null,
      roles: [{ role: 'Auditor', source: 'mapping', value: '/audit', exists: true }],
      groups: ['North'],
      unused: ['/canteen'],
      actions: ['payloads:list'],
    },
  })
  wire.answers.saveClientIdentity = () => ({ proposal_id: PROPOSAL, proposed_at: AT, expires_at: AT + 1 })
  await wire.show('identity')
  await page.getByLabel('Claims format of').first().click()
  await page.getByRole('option', { name: 'Keycloak' }).click()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Value in the token').fill('/audit')
  const roles = page.getByRole('region', { name: 'Rule 1' }).getByLabel('Roles').first()
  await roles.fill('Auditor')
  await roles.press('Enter')
  await page.getByLabel('Preview with an ID token').fill('{"sub":"1"}')
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByText('rule for /audit')).toBeVisible()
  await expect(page.getByText('/canteen')).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => wire.asked('saveClientIdentity').length).toBe(1)
  await expect
    .poll(() => wire.asked('saveClientIdentity')[0]?.body)
    .toMatchObject({
      claim_mapping: {
        ...CLAIM_PRESETS.keycloak,
        rules: [{ value: '/audit', roles: ['Auditor'], groups: [], all_groups: false }],
      },
    })
})
