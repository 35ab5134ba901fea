import { expect, test } from './wire.ts'

test('the first steps of an account lead to their pages, and stay hidden once the reader hides them', async ({
  page,
  wire,
}) => {
  await wire.show('first-steps')
  await expect(page.getByText('8 of 10 steps are done')).toBeVisible()
  const step = page.getByRole('listitem').filter({ hasText: 'Let a colleague sign in' })
  await expect(step).toContainText('Assign roles')
  await expect(step.getByRole('link')).toHaveAttribute('href', /\/dashboard\/access\/people$/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Create groups' })).toContainText('Done')
  await page.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await expect(page.getByText('Set up the account')).toHaveCount(0)
})
