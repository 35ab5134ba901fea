import { expect, test } from './wire.ts'

test('the first steps of an account lead to their pages, and stay hidden once the reader hides them', async ({
  page,
  wire,
}) => {
  await wire.show('first-steps')
  await expect(page.getByText('8 of 9 steps are done')).toBeVisible()
  const step = page.getByRole('listitem').filter({ hasText: 'Let a colleague sign in' })
  await expect(step).toContainText('Assign roles')
  await expect(step.getByRole('link')).toHaveAttribute('href', /\/dashboard\/access\/people$/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Create groups' })).toContainText('Done')
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await expect(page.getByText('Set up the account')).toHaveCount(0)
})

test('the first steps go when only the optional one is left', async ({ page, wire }) => {
  await wire.show('first-steps')
  await expect(page.getByText('Optional: only if')).toBeVisible()
  await wire.show('optional-step')
  await expect(page.getByText('Below the first steps')).toBeVisible()
  await expect(page.getByText('Set up the account')).toHaveCount(0)
})
