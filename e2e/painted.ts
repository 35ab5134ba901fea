import type { Page } from '@playwright/test'

/** Milliseconds until a page must paint on a busy machine. */
const PATIENCE = 60_000

/** Waits until the page paints: Chromium drops keys that are pressed before. Throws when it paints nothing. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    (patience) =>
      new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error(`nothing was painted within ${patience / 1000} s`)), patience)
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
      }),
    PATIENCE,
  )
}
